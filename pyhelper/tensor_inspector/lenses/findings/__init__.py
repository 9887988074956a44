"""What is wrong with a training step: rules, each a small pure function over the step in sight."""
