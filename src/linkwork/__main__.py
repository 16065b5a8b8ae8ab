"""`python -m linkwork` is the `linkwork` command."""

from linkwork.cli import main

main()
