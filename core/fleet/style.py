"""Colours and stylesheet of the status page and its charts, light and dark; no fonts, scripts or images from elsewhere.

Contrast is that of WCAG 2.2: at least 4.5 for text, 3 for what a chart draws. A test computes it from `PALETTES`.
"""

from __future__ import annotations

from collections.abc import Mapping

PALETTES: Mapping[str, Mapping[str, str]] = {
    "light": {
        "paper": "#ffffff",
        "card": "#f4f4f1",
        "ink": "#1d1d1b",
        "muted": "#55554f",
        "line": "#8a8a82",
        "first": "#8a5a00",
        "second": "#0b5cad",
        "focus": "#0b5cad",
    },
    "dark": {
        "paper": "#161614",
        "card": "#22221f",
        "ink": "#f1f1ec",
        "muted": "#b9b9b0",
        "line": "#7d7d75",
        "first": "#f2b53a",
        "second": "#7db8f2",
        "focus": "#7db8f2",
    },
}


def _variables(palette: Mapping[str, str]) -> str:
    return "".join(f"--{name}:{colour};" for name, colour in palette.items())


_COLOURS = (
    f":root{{color-scheme:light dark;{_variables(PALETTES['light'])}}}"
    f"@media (prefers-color-scheme:dark){{:root{{{_variables(PALETTES['dark'])}}}}}"
)

CHART_STYLE = (
    ".chart text{font:11px system-ui,sans-serif;fill:var(--muted)}"
    ".chart .axis{stroke:var(--line);stroke-width:1;fill:none}"
    ".chart .first{stroke:var(--first)}.chart .second{stroke:var(--second);stroke-dasharray:5 3}"
    ".chart polyline{fill:none;stroke-width:2;stroke-linejoin:round}"
    ".chart circle.first{fill:var(--first)}.chart circle.second{fill:var(--second)}"
)

CHART_FILE_STYLE = f"{_COLOURS}{CHART_STYLE}svg{{background:var(--paper)}}"

PAGE_STYLE = f"""{_COLOURS}
*{{box-sizing:border-box}}
body{{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}}
header,main,footer{{max-width:72rem;margin:0 auto;padding:1rem}}
h1{{font-size:1.6rem;line-height:1.2;margin:.5rem 0;overflow-wrap:anywhere}}
h2{{font-size:1.2rem;margin:1.5rem 0 .5rem}}
p{{overflow-wrap:anywhere}}
header p,footer p,figcaption,caption{{color:var(--muted);text-align:left}}
dl{{display:grid;grid-template-columns:repeat(auto-fill,minmax(10rem,1fr));gap:.75rem;margin:0}}
dl div{{background:var(--card);border-radius:.5rem;padding:.6rem .8rem}}
dt{{color:var(--muted);font-size:.9rem}}
dd{{margin:0;font-size:1.15rem;overflow-wrap:anywhere}}
.charts{{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(20rem,100%),1fr));gap:1rem}}
figure{{margin:0;background:var(--card);border-radius:.5rem;padding:.6rem .8rem}}
figure svg{{display:block;width:100%;height:auto}}
.wide{{overflow-x:auto}}
.wide:focus-visible{{outline:2px solid var(--focus);outline-offset:2px}}
table{{border-collapse:collapse;width:100%}}
th,td{{padding:.35rem .75rem .35rem 0;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}}
th,td{{overflow-wrap:break-word}}
th[scope=row]{{font-weight:600}}
.number{{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}}
progress{{width:100%;height:.8rem;accent-color:var(--first)}}
{CHART_STYLE}"""


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours such as ``#1d1d1b``, 1 to 21 (WCAG 2.2, relative luminance)."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
    return sum(weight * value for weight, value in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
