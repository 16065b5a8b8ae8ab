"""Linear algebra for closed loops: elimination that reveals rank, sparse pivot orders, damped least squares."""
