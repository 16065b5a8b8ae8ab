"""Where a machine rests: postures at which nothing is left of the forces along its freedoms, and whether they last."""
