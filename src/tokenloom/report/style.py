"""The look of a page: one accent colour, system fonts, light and dark, paper and phone."""

from typing import Final

__all__ = ["STYLE"]

STYLE: Final = """
:root{color-scheme:light dark;--ground:#fcfcfb;--card:#f3f4f4;--text:#1b2126;--soft:#56616b;--line:#dde1e4;
--accent:#0b6a83;--fill:#2a8aa6;--blank:#8a5a00}
@media (prefers-color-scheme:dark){:root{--ground:#14181b;--card:#1c2226;--text:#e6eaed;--soft:#9fabb5;--line:#30383e;
--accent:#6cc7e0;--fill:#3f9db9;--blank:#e0b060}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:58rem;padding:2.5rem 1.25rem 4rem;background:var(--ground);color:var(--text);
font:1rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue","Noto Sans",sans-serif;
-webkit-text-size-adjust:100%;overflow-wrap:break-word}
h1{font-size:1.9rem;line-height:1.2;font-weight:650;letter-spacing:-.015em;margin:0 0 .35rem}
h2{font-size:1.25rem;line-height:1.3;font-weight:620;letter-spacing:-.005em;margin:0 0 1rem;scroll-margin-top:1rem}
header p{color:var(--soft);margin:0;font-size:1.05rem}
p{margin:0 0 1rem;max-width:44rem}
a{color:var(--accent);text-underline-offset:.2em}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:2px}
nav{margin:1.25rem 0 0}
nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;list-style:none;margin:0;padding:0;font-size:.92rem}
section{border-top:1px solid var(--line);margin-top:2.25rem;padding-top:1.75rem}
section>.facts,section>.scroll,section>figure{margin:0 0 1.75rem}
section>.note{margin-bottom:1.25rem}
section>:last-child{margin-bottom:0!important}
figure{margin:0;min-width:0}
figcaption,caption{text-align:left;font-weight:600;font-size:.95rem;margin-bottom:.6rem;padding:0}
caption{padding-bottom:.4rem}
.note{border-left:3px solid var(--accent);padding:.1rem 0 .1rem .9rem;color:var(--soft);font-size:.94rem}
.none{color:var(--soft);margin:0}
.facts{display:grid;grid-template-columns:repeat(auto-fill,minmax(10.5rem,1fr));gap:.75rem}
.facts div{background:var(--card);border-radius:.5rem;padding:.8rem .95rem;min-width:0}
.facts dt{color:var(--soft);font-size:.85rem;line-height:1.35}
.facts dd{margin:.1rem 0 0;font-size:1.3rem;line-height:1.3;font-weight:600;font-variant-numeric:tabular-nums}
.facts .detail{font-size:.85rem;font-weight:400;line-height:1.35;color:var(--soft)}
.scroll{overflow-x:auto;max-width:100%}
table{border-collapse:collapse;width:100%;font-size:.92rem;line-height:1.4}
th,td{text-align:left;vertical-align:top;padding:.4rem .75rem;border-bottom:1px solid var(--line)}
tr>:first-child{padding-left:0}
tr>:last-child{padding-right:0}
thead th{color:var(--soft);font-weight:500;font-size:.85rem;vertical-align:bottom}
tbody th{font-weight:400}
tbody th.name{min-width:10.5rem;overflow-wrap:anywhere}
.fit{width:auto;min-width:min(100%,30rem)}
.number,.bar{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.bar{width:40%;min-width:10rem}
td.bar svg{display:inline-block;width:calc(100% - 6.5rem);height:.65rem;float:left;margin-top:.35em}
td.bar rect{fill:var(--fill)}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap;padding:0}
.chart p{margin:0;color:var(--soft);font-size:.85rem}
.chart .x-title{text-align:center}
.drawing{padding-right:1.75rem;padding-top:.7rem;overflow:hidden}
.drawing>svg{display:block;overflow:visible}
.drawing text{fill:var(--soft);font-size:12px;font-variant-numeric:tabular-nums}
.drawing text.x{text-anchor:middle}
.drawing text.y{text-anchor:end}
.grid{stroke:var(--line)}
.axis,.tick{stroke:var(--soft)}
.column{fill:var(--fill)}
.column:hover{fill:var(--accent)}
.curve{fill:none;stroke-width:2;stroke:var(--fill);stroke-linejoin:round}
circle{fill:var(--fill)}
.curve.c1{stroke:var(--text);stroke-dasharray:6 4}
.curve.c2{stroke:var(--soft);stroke-dasharray:2 3}
.curve.c3{stroke:var(--accent);stroke-dasharray:10 3 2 3}
circle.c1{fill:var(--text)}
circle.c2{fill:var(--soft)}
circle.c3{fill:var(--accent)}
.legend{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;list-style:none;margin:.5rem 0 0;padding:0;font-size:.88rem}
.legend svg{margin-right:.4rem}
details{margin-top:.6rem;font-size:.92rem}
summary{color:var(--accent);cursor:pointer;font-size:.88rem;width:max-content}
details .scroll{max-height:22rem;overflow-y:auto;margin-top:.4rem}
.tokens{display:flex;flex-wrap:wrap;gap:.5rem .6rem;list-style:none;margin:0;padding:0}
.tokens li{display:flex;align-items:baseline;gap:.35rem;max-width:100%}
.tokens small{color:var(--soft);font-size:.8rem;font-variant-numeric:tabular-nums;white-space:nowrap}
.chip{display:inline-block;max-width:100%;font:.88rem/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,"Noto Sans Mono",
"DejaVu Sans Mono",monospace;background:var(--card);border:1px solid var(--line);border-radius:.3rem;
padding:.02rem .35rem;white-space:pre;text-align:left}
.long{white-space:pre-wrap;overflow-wrap:anywhere;min-width:8rem}
.half{border:1px dashed var(--accent)}
.chip i{font-style:normal;color:var(--blank)}
.chip b,.chip u{font-weight:400;text-decoration:none;font-size:.78rem;color:var(--accent);margin:0 .12em;
white-space:nowrap}
footer{border-top:1px solid var(--line);margin-top:3rem;padding-top:1rem;color:var(--soft);font-size:.85rem}
@media (max-width:34rem){.drawing .wide{display:none}body{padding:1.5rem 1rem 3rem}h1{font-size:1.55rem}
.facts{grid-template-columns:repeat(auto-fill,minmax(8.5rem,1fr));gap:.5rem}.facts dd{font-size:1.12rem}
th,td{padding:.4rem .5rem}.bar{min-width:5.5rem;width:auto}td.bar svg{float:none;display:block;width:100%;height:.4rem;
margin:.2rem 0 .1rem}}
@media print{:root{--ground:#fff;--card:#fff;--text:#000;--soft:#444;--line:#bbb;--accent:#0b6a83;--fill:#2a8aa6;
--blank:#8a5a00}body{max-width:none;padding:0;font-size:10pt}nav,details{display:none}.facts div{border:1px solid #bbb}
figure,tr,.facts div{break-inside:avoid}h2{break-after:avoid}.scroll{overflow:visible}}
"""
