"""`python -m cipherassay.tools USE`: the Debian packages that a make target lacks."""

import sys

from cipherassay.tools import packages_for

sys.stdout.write(" ".join(packages_for(sys.argv[1])) + "\n")
