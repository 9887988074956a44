"""Facts about the values in sight that are worth a look: no rule says that they are wrong."""
