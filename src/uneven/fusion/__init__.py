"""Classifiers that join what each view says: fixed rules, Carako, the Bregman vote."""
