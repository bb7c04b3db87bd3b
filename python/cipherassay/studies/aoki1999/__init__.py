"""E2 on seven platforms (Aoki and Ueda, NTT, 1999): table layouts, key setup by RAM, ways to invert words."""
