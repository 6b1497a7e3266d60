"""The commands, a file for each; see lanewise/cli/program.py."""
