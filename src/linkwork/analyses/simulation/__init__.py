"""What happens when a machine is let go: its motion in time under loads, drives, inputs and events."""
