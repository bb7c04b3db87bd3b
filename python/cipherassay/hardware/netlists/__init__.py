"""Netlists, and RTLIL before them: read, written, cut, counted, proved equal to what they were made from."""
