"""The explorer: a page at localhost that shows, as one types, what becomes of a cipher's description.

Three processes stand behind it. The server (`server`) answers the page and runs no description. One process
has everything loaded and does nothing but fork (`forking`); each fork (`worker`) makes one panel or one
target of one description, within limits, and ends. A newer text ends the forks of the older one.

A module of `cipherassay.explorer.panels` brings a panel, a level of `cipherassay.coverage` a target of costs;
nothing lists them.
"""
