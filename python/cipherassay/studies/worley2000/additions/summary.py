"""The paper's cycles on its own machine, beside ours on this one."""

PAPER = "worley2000"
TARGET = "pa8500"
LABEL = "PA-8500, 2000"
WORDS = "the hand-written assembly of the HP paper on the PA-8500"
