"""Known answers by any back end: which one checks a file, new files generated and checked by a second one."""
