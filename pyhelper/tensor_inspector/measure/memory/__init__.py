"""Where memory is and what takes it."""
