"""A machine on one page: everything that is known of it, written to a single HTML file that needs nothing else.

`write`   `write_report`: what users call
`subject` what a report is about: the machine, its check, its run
`showing` the motion that is shown where none is given
`section` what a section is made of: blocks of HTML, figures, warnings
`sections/`  one file a section, and their order; a new analysis adds a file and an entry
`figures`  signals and paths as figures for plotly
`drawings` line drawings as SVG inside the page
`markup`   tables, lists and texts as HTML, every text escaped
`base85`   bytes as text that a page can hold and unpack
`page`     the document around it all
"""

from linkwork.views.report.write import subject_of, write_page, write_report

__all__ = ["subject_of", "write_page", "write_report"]
