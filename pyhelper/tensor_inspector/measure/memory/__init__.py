"""Where memory is and what takes it: of tensors and arrays, of devices, of the process."""
