"""Non-linear combinations: functions of scores in the space of a Mercer kernel."""
