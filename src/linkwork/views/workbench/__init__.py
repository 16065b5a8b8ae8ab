"""The workbench in the browser.

`bench`   what a visitor works on: model, machine, posture, run; no page
`desk`    one visitor's page: the stage, the panels, the work going on
`panels/` one tab each; a new analysis adds a file there and a line in `PANELS`
`player` the play bar; `charts` plots that follow it
`lanes`  work in the background, the last wish first
`server` visitors, port, browser
"""
