"""The style of all pages: readable on paper, on a phone and in the dark, with nothing loaded."""

__all__ = ["STYLE"]

STYLE = """
:root{color-scheme:light dark;--ink:#1f2328;--faint:#5a636d;--page:#fff;--card:#f5f6f8;--line:#d9dde2;
--accent:#0b5cad;--gone:#b3261e;--gone-back:#fbe4e2;--new:#116329;--new-back:#dcf3e2;--warn:#8a5a00;
--warn-back:#fff4d6}
@media screen and (prefers-color-scheme:dark){:root{--ink:#e4e7eb;--faint:#a3acb6;--page:#16181b;
--card:#212429;--line:#3a3f46;--accent:#7db7f5;--gone:#ff9d94;--gone-back:#4a2220;--new:#8fdca3;--new-back:#1c3b26;
--warn:#f0c66a;--warn-back:#3b3015}
svg [fill="#222"],svg [fill="#000000"]{fill:#e4e7eb}svg [stroke="#222"],svg [stroke="#000000"]{stroke:#e4e7eb}
svg [stroke="#e4e4e4"]{stroke:#3a3f46}svg [fill="#fff"]{fill:#16181b}svg [fill="#0072b2"]{fill:#56b4e9}
svg [stroke="#0072b2"]{stroke:#56b4e9}}
*{box-sizing:border-box}
body{font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;max-width:60rem;
margin:0 auto;padding:1.5rem 1.25rem 4rem;color:var(--ink);background:var(--page);overflow-wrap:anywhere}
h1{font-size:1.75rem;line-height:1.25;margin:.5rem 0 .75rem}
h2{font-size:1.25rem;margin:2.25rem 0 .75rem;padding-bottom:.25rem;border-bottom:1px solid var(--line)}
p{margin:.6rem 0}.lead{font-size:1.15rem}.faint{color:var(--faint);font-size:.9rem}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(8.2rem,1fr));gap:.75rem;margin:1.25rem 0}
.tile{background:var(--card);border-radius:.6rem;padding:.8rem 1rem}
.tile b{display:block;font-size:1.7rem;line-height:1.2;font-variant-numeric:tabular-nums}
.tile span{color:var(--faint);font-size:.9rem}
.warning{background:var(--warn-back);border-inline-start:.3rem solid var(--warn);border-radius:.3rem;
padding:.6rem 1rem;margin:.75rem 0}
.scroll{overflow-x:auto;margin:.75rem 0}
table{border-collapse:collapse;font-size:.93rem}
th,td{padding:.3rem .8rem;border-bottom:1px solid var(--line);text-align:start;vertical-align:top;
overflow-wrap:normal}
th{color:var(--faint);font-weight:600}td.n,th.n{text-align:end;font-variant-numeric:tabular-nums;
white-space:nowrap}
.example{border:1px solid var(--line);border-radius:.6rem;padding:.6rem 1rem;margin:.7rem 0}
.example dl{display:grid;grid-template-columns:7.5rem 1fr;gap:.2rem .75rem;margin:0}
.example dt{color:var(--faint);font-size:.85rem;padding-top:.1rem}.example dd{margin:0;white-space:pre-wrap}
.example .note{color:var(--faint);font-size:.85rem;margin:.3rem 0 0}
del{color:var(--gone);background:var(--gone-back);text-decoration:line-through;border-radius:.2rem}
ins{color:var(--new);background:var(--new-back);text-decoration:underline;border-radius:.2rem}
details{border:1px solid var(--line);border-radius:.6rem;margin:.75rem 0;padding:0 1rem}
summary{cursor:pointer;font-weight:600;padding:.6rem 0;color:var(--accent)}
figure{margin:.75rem 0;max-width:100%}figure svg{max-width:100%;height:auto}
pre{background:var(--card);border-radius:.4rem;padding:.75rem 1rem;overflow-x:auto}
code{white-space:pre-wrap;font-size:.85rem}ol,ul{padding-inline-start:1.4rem}li{margin:.35rem 0}
@media (max-width:40rem){body{padding:1rem .9rem 3rem}h1{font-size:1.4rem}th,td{padding:.25rem .5rem}
.example dl{grid-template-columns:1fr}.example dd{margin-bottom:.35rem}
.tiles{grid-template-columns:repeat(2,1fr)}}
@media print{:root{color-scheme:light;--ink:#000;--page:#fff;--card:#f2f2f2;--line:#bbb;--faint:#444}
body{max-width:none;padding:0;font-size:10.5pt}h2{break-after:avoid}
.example,.tile,figure,tr,.warning{break-inside:avoid}.scroll{overflow:visible}
details:not([open]){display:none}}
"""
