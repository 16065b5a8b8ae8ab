"""The style sheet of the page: what viser's own look lacks, for light and dark, wide and narrow."""

SHEET = """
.lw-warning,.lw-failure,.lw-field-error,.lw-problems{font-size:0.82em;line-height:1.4;overflow-wrap:anywhere}
.lw-warning,.lw-failure{margin:0.2em 0.9em 0.6em;padding:0.3em 0.6em;border-left:3px solid;border-radius:2px}
.lw-warning{color:#7A5200;background:#FFF6E0;border-color:#E0A100}
.lw-failure,.lw-problems{color:#B3261E}
.lw-failure{background:#FDECEA;border-color:#C62828}
.lw-field-error{color:#B3261E;padding:0 0.9em 0.5em;margin-top:-0.25em}
.lw-problems{padding:0.2em 0.9em 0.2em 2.2em;margin:0}
[data-mantine-color-scheme=dark] .lw-warning{color:#FFD27A;background:#33290F}
[data-mantine-color-scheme=dark] .lw-failure{color:#FFB4AB;background:#3A1A18}
[data-mantine-color-scheme=dark] :is(.lw-field-error,.lw-problems){color:#FF9A90}
.mantine-Slider-root + .mantine-NumberInput-root{display:none}
.mantine-Slider-root{margin-bottom:1.05em}
.lw-legend{display:grid;align-items:center;grid-template-columns:auto 1fr auto;gap:0 0.6em;padding:0 1.2em 0.5em 1.4em;
font-size:0.8em;
font-variant-numeric:tabular-nums}
.lw-legend i{display:inline-block;width:0.9em;height:0.22em;vertical-align:middle;border-radius:1px}
.lw-legend b{font-weight:500;text-align:right}
.mantine-ScrollArea-scrollbar[data-orientation=horizontal]{display:none}
.uplot .u-legend{display:none}
.lw-keys{display:grid;grid-template-columns:auto 1fr;gap:0.15em 0.8em;padding:0.2em 0.9em;font-size:0.82em}
.lw-keys kbd{font:inherit;border:1px solid;border-radius:3px;padding:0 0.35em;opacity:0.8;text-align:center}
"""


PHONE = """
@media (max-width:47.99em){
[style*="width: 20em"]:has(.lw-sheet){width:100% !important}
[style*="max-height: 60%"]:has(.lw-sheet){max-height:50% !important}
.mantine-Tabs-list{flex-wrap:nowrap;overflow-x:auto}
.mantine-Tabs-tab{padding:0.75em 0.6em !important}
input,textarea{font-size:16px !important}
}
"""
"""viser lays its panel into a corner of a phone; here it takes the lower half. Letters below 16 pixels would make the
browsers of phones zoom in on every field."""


def style_sheet() -> str:
    """The sheet as an element of the page."""
    return f'<style>{SHEET}{PHONE}</style><div class="lw-sheet" hidden></div>'
