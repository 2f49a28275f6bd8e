"""The journey of a new user: from nothing to a translation system that has been measured and explained."""
