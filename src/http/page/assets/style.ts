/** The style sheet of all pages: system fonts, one accent, light and dark, narrow screens and print. */
export const styleSheet = `
:root{color-scheme:light dark;--bg:#fff;--soft:#f3f5f7;--line:#d5dae0;--text:#1c2127;--dim:#57606a;--accent:#0b6170;
--base:#0b6170;--delta:#4f9fae;--exact:#7c6fb0;--bad:#b3261e;--warn:#8a5a00;--good:#1a6b3c}
@media (prefers-color-scheme:dark){:root{--bg:#14181c;--soft:#1d2329;--line:#353d46;--text:#e4e8ec;--dim:#a3adb8;
--accent:#6fc3d2;--base:#8fd6e2;--delta:#3f8a98;--exact:#a99be0;--bad:#ff9d94;--warn:#e3b45c;--good:#7ccf9b}}
*{box-sizing:border-box}
html{font:15px/1.45 system-ui,-apple-system,"Segoe UI",sans-serif;background:var(--bg);color:var(--text)}
body{margin:0}
a{color:var(--accent);text-underline-offset:.15em}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:.5rem;background:var(--bg);padding:.25rem .5rem}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.top{display:flex;flex-wrap:wrap;align-items:center;gap:.25rem 1.25rem;padding:.5rem max(1.25rem,calc(50% - 36.75rem));
border-bottom:1px solid var(--line)}
.top nav{display:flex;flex-wrap:wrap;gap:.25rem 1rem}
.top nav a{text-decoration:none;color:var(--text)}.top nav a[aria-current]{color:var(--accent);font-weight:600}
.brand{font-weight:700;letter-spacing:.02em;text-decoration:none;color:var(--accent)}
.who{margin-left:auto;display:flex;gap:.75rem;align-items:center;color:var(--dim)}
main{max-width:76rem;margin:0 auto;padding:1rem 1.25rem 2.5rem}
footer{max-width:76rem;margin:0 auto;padding:.75rem 1.25rem;color:var(--dim);border-top:1px solid var(--line);
font-size:.87rem}
h1{font-size:1.45rem;line-height:1.25;margin:.25rem 0 .75rem;overflow-wrap:anywhere}
h2{font-size:1.08rem;margin:1.6rem 0 .5rem}
p{margin:.4rem 0;max-width:52rem}
.crumbs{font-size:.9rem;color:var(--dim);overflow-wrap:anywhere}
.dim{color:var(--dim)}
.scroll{overflow-x:auto;margin:.5rem 0}
table{border-collapse:collapse;min-width:min(100%,44rem);font-size:.92rem}
th,td{padding:.28rem 1.25rem .28rem 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--line);
font-weight:400}
thead th{color:var(--dim);white-space:nowrap;font-size:.85rem}
thead th a{color:inherit}thead th[aria-sort] a{color:var(--text);font-weight:600}
thead th[aria-sort] a::after{content:" \\2193" / ""}thead th[aria-sort=ascending] a::after{content:" \\2191" / ""}
.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.n+:not(.n){padding-left:.5rem}
.facts .wide{grid-column:span 2}
.facts{display:grid;grid-template-columns:repeat(auto-fill,minmax(11rem,1fr));gap:.6rem 1.25rem;margin:.5rem 0 1rem}
.facts dt{font-size:.82rem;color:var(--dim)}.facts dd{margin:0;overflow-wrap:anywhere}
.big{font-size:1.25rem;font-weight:600;font-variant-numeric:tabular-nums}
.mark{display:inline-block;padding:0 .45em;border-radius:.6em;border:1px solid currentColor;line-height:1.3;
font-size:.82rem;color:var(--dim)}
.mark.ready{color:var(--good)}.mark.failed{color:var(--bad)}.mark.working,.mark.queued{color:var(--warn)}
.good{color:var(--good)}.bad{color:var(--bad)}
.note{border-left:3px solid var(--warn);background:var(--soft);padding:.4rem .75rem;margin:.5rem 0;max-width:60rem}
.note.bad{border-color:var(--bad);color:inherit}
code,pre,.hash{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.87em}
.hash{overflow-wrap:anywhere}
pre{margin:0;padding:.55rem .7rem;background:var(--soft);border:1px solid var(--line);border-radius:.3rem;
white-space:pre-wrap;overflow-wrap:anywhere}
.columns{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(21rem,100%),1fr));gap:.75rem}
figure{margin:0;min-width:0}
.snippet figcaption{font-size:.85rem;color:var(--dim);margin:.3rem 0 .15rem}
details{margin:.75rem 0}summary{cursor:pointer;color:var(--accent)}
.chart{margin:.9rem 0}.chart svg{display:block;width:100%;height:auto;overflow:visible}
.chart figcaption{display:flex;flex-wrap:wrap;gap:.1rem 1rem;font-size:.87rem;color:var(--dim)}
.chart .title{color:var(--text);font-weight:600}
.key::before{content:"";display:inline-block;width:.75em;height:.75em;margin-right:.35em;background:var(--delta)}
.key.base::before,.key.measured::before,.key.one::before{background:var(--base)}
.key.exact::before{background:var(--exact)}
.key.limit::before,.key.fork::before,.key.arc::before{width:1.4em;height:0;border-top:2px dashed var(--bad);
background:none;vertical-align:middle}
.key.fork::before{border-color:var(--warn);border-top-style:solid}
.key.merged::before{height:.3em;background:var(--warn);vertical-align:middle}.key.two::before{background:var(--exact)}
.chart.rows{max-width:48rem}.rows text{dominant-baseline:central}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(30rem,100%),1fr));gap:0 2rem}
svg text{font-size:14px;fill:var(--dim)}svg .end{text-anchor:end}
.axis{stroke:var(--line);fill:none}.bar{fill:var(--delta)}.bar.base{fill:var(--base)}.bar.exact{fill:var(--exact)}
.line{fill:none;stroke:var(--base);stroke-width:1.6;stroke-linejoin:round;stroke-linecap:round}
.dot{stroke:var(--base);stroke-width:6;stroke-linecap:round}.dot.two{stroke:var(--exact)}
.line.limit{stroke:var(--bad);stroke-dasharray:5 3;stroke-linecap:butt}.line.two{stroke:var(--exact)}
.arc,.branch{fill:none;stroke:var(--delta);stroke-width:1.2}.branch{stroke:var(--warn)}
.band{stroke:var(--warn);stroke-width:4;fill:none}.node{stroke:var(--line);stroke-linecap:round}
.node.base{stroke:var(--base);stroke-linecap:butt}.node.delta{stroke:var(--delta)}
form.row{display:flex;flex-wrap:wrap;gap:.5rem .75rem;align-items:end;margin:.5rem 0 1rem}
label{display:block;font-size:.87rem;color:var(--dim)}
input,select,button{font:inherit;padding:.3rem .55rem;border:1px solid var(--line);border-radius:.3rem;
background:var(--bg);color:var(--text);max-width:100%}
input[type=search],input[type=text],input[type=password]{width:20rem}
button{background:var(--soft);cursor:pointer}
button.main{background:var(--accent);border-color:var(--accent);color:var(--bg)}
button.danger{border-color:var(--bad);color:var(--bad)}
button.link{border:0;background:none;padding:0;color:var(--accent);text-decoration:underline}
.pager{display:flex;gap:1rem;margin:.5rem 0}
.secret{display:block;padding:.6rem;border:2px solid var(--good);overflow-wrap:anywhere;font-size:1rem}
ul.plain{list-style:none;margin:.25rem 0;padding:0}ul.plain li{margin:.15rem 0}
.tree ul{list-style:none;margin:0;padding-left:1.1rem;border-left:1px solid var(--line)}
.tree>ul{padding-left:0;border:0}
@media (max-width:40rem){html{font-size:14px}main,.top{padding-left:.8rem;padding-right:.8rem}.who{margin-left:0}
svg text{font-size:22px}table{width:max-content;max-width:70rem}.facts .wide{grid-column:1/-1}
.scroll{background:linear-gradient(90deg,var(--bg),transparent) 0/2rem 100% no-repeat local,
linear-gradient(270deg,var(--bg),transparent) 100%/2rem 100% no-repeat local,
linear-gradient(90deg,var(--line),transparent) 0/.6rem 100% no-repeat,
linear-gradient(270deg,var(--line),transparent) 100%/.6rem 100% no-repeat}
input[type=search],input[type=text],input[type=password]{width:100%}}
@media print{.top nav,.who,.skip,form,.snippets,.pager,.actions{display:none}
:root{--bg:#fff;--text:#000;--dim:#333;--accent:#000}a{text-decoration:none}.top{padding-left:0}
main,footer{max-width:none;padding-left:0;padding-right:0}
.scroll{overflow:visible}details::details-content{content-visibility:visible;display:block;height:auto}
.chart,tr{break-inside:avoid}}
`;
