import type { Handler } from "./test-site.ts";

/** The pages that the conformance suite acts on. */
export const pages: Record<string, string | Handler> = {
  "/": `<title>Home</title><h1>Welcome home</h1><p>Plain words</p><a href="/second">Second page</a>`,
  "/second": `<title>Second</title><h1>Second page</h1><a href="/">Home again</a>`,

  "/names": `<title>Names</title>
    <h2>Section one</h2>
    <label for="a">Given name</label><input id="a" value="Ada">
    <label>Wrapped <input id="w" placeholder="not used"></label>
    <input placeholder="Search the shop" type="search">
    <input type="password" aria-label="Secret" value="abc">
    <span id="l1">Billing</span> <span id="l2">street</span><input aria-labelledby="l1 l2">
    <button aria-label="Close"><svg width="10" height="10"></svg></button>
    <button><img alt="Cart" src="data:," width="10" height="10"></button>
    <button title="Only a title"></button>
    <select aria-label="Colour"><option>Red</option><option selected>Green</option><option>Blue</option></select>
    <label><input type="checkbox" checked> In stock</label>
    <label><input type="radio" name="r"> Express</label>
    <button aria-expanded="false">Menu</button>
    <button disabled>Pay</button>
    <div role="tab" aria-selected="true">Details</div>
    <details><summary>More</summary>Hidden words</details>
    <textarea aria-label="Notes">line</textarea>
    <div contenteditable="true" aria-label="Editor">draft</div>
    <div onclick="document.title='clicked'">Plain clickable</div>
    <div style="cursor:pointer"><span>Pointer card</span></div>
    <p>Some <b>bold</b> prose with a <a href="/second">link inside</a> and an end.</p>
    <p style="display:none">Not shown</p><p style="visibility:hidden">Invisible</p><p style="opacity:0">See-through</p>`,

  "/covered": `<title>Covered</title><style>body{margin:0}</style>
    <button style="position:absolute;left:10px;top:10px;width:100px;height:30px">Under</button>
    <button style="position:absolute;left:10px;top:100px;width:100px;height:30px">Free</button>
    <p style="position:absolute;left:10px;top:40px">Text under</p>
    <div id="veil" style="position:absolute;left:0;top:0;width:300px;height:80px;background:#eee"></div>
    <button style="position:absolute;left:10px;top:3000px">Far below</button>`,

  "/covering": `<title>Covering</title><button id="b" style="position:absolute;left:10px;top:10px;width:100px;height:30px">Soon covered</button>
    <button id="c" style="position:absolute;left:10px;top:200px" onclick="b.remove()">Remove</button>
    <button style="position:absolute;left:200px;top:200px" onclick="document.body.insertAdjacentHTML('beforeend','<div role=dialog aria-label=Offer style=\\'position:fixed;inset:0 0 auto 0;height:100px;background:pink\\'></div>')">Cover</button>`,

  "/shadow": `<title>Shadow</title><h1>Outside</h1><div id="host"></div><p>After</p><script>
    const root = host.attachShadow({ mode: "open" });
    root.innerHTML = '<button>In shadow</button><slot></slot>';
    root.querySelector("button").onclick = () => { document.title = "shadow clicked"; };
    host.innerHTML = "<span>Slotted words</span>";
  </script>`,

  "/frames": `<title>Frames</title><style>body{margin:0}iframe{border:5px solid;padding:3px;margin:0;display:block}</style>
    <button>Before</button>
    <iframe src="/inner" width="300" height="80"></iframe>
    <button>Between</button>
    <iframe src="OTHER/inner" width="300" height="80"></iframe>
    <button>After</button>`,
  "/inner": `<title>Inner</title><style>body{margin:0}</style><button onclick="this.textContent='Pressed'">Inner button</button><input aria-label="Inner field">`,

  "/many": `<title>Many</title><style>body{margin:0}b,i{display:inline-block;width:30px;height:10px;overflow:hidden;font-size:8px}</style>
    ${Array.from({ length: 100 }, (_, at) => `<b>t${at}</b><i role="button">b${at}</i>`).join("")}`,

  // The pad leaves the corner free: an attached headless shell holds its pointer there from the start.
  "/events": `<title>Events</title><style>body{margin:0} #pad{position:absolute;left:20px;top:20px;width:160px;height:60px;background:#cde} #out{position:absolute;top:120px}</style>
    <div id="pad" role="button" aria-label="Pad"></div><pre id="out"></pre>
    <script>
      for (const type of ["click", "dblclick", "contextmenu", "auxclick", "mouseover"]) pad.addEventListener(type, (e) => {
        out.textContent += type + "@" + e.clientX + "," + e.clientY + " ";
        if (type === "contextmenu") e.preventDefault();
      });
    </script>`,

  "/form": `<title>Form</title>
    <form id="f" action="/sent" method="get"><label>Query <input id="q" name="q" value="old"></label></form>
    <input aria-label="Fixed" readonly value="x"><input aria-label="Off" disabled>
    <input type="date" aria-label="Day"><input type="range" aria-label="Volume" min="0" max="10">
    <textarea aria-label="Area"></textarea>
    <div contenteditable aria-label="Rich">some text</div>
    <select aria-label="Size" onchange="out.textContent='size '+this.value"><option value="s">Small</option><option value="l">Large</option><option disabled>Huge</option></select>
    <select aria-label="Tags" multiple><option>one</option><option>two</option><option>three</option></select>
    <button type="button" onclick="out.textContent='no field'">Press me</button>
    <pre id="out"></pre><pre id="keys"></pre>
    <script>
      q.addEventListener("keydown", (e) => { keys.textContent += e.key + " "; });
      q.addEventListener("input", () => { out.textContent = "input " + q.value; });
    </script>`,
  "/sent": `<title>Sent</title><h1>Sent</h1>`,

  "/fetch": `<title>Fetch</title><button onclick="save()">Save</button><p id="out">nothing</p><script>
      async function save() {
        const reply = await fetch("/slow-post", { method: "POST", body: "saved" });
        out.textContent = await reply.text();
      }</script>`,
  "/slow-post": (_request, response) => {
    setTimeout(() => response.end("stored"), 150);
  },
  "/post-and-leave": `<title>Leave</title><form method="post" action="/slow-redirect"><button>Go</button></form>`,
  "/slow-redirect": (_request, response) => {
    setTimeout(() => response.writeHead(303, { location: "/second" }).end(), 100);
  },
  "/restless": `<title>Restless</title><p id="p">0</p><button>Still</button><script>
      let n = 0; (function tick() { p.textContent = n++; requestAnimationFrame(tick); })();</script>`,
  "/hang": () => {},
  "/hanging-request": `<title>Hanging</title><button onclick="fetch('/hang')">Hang</button>`,

  "/dialogs": `<title>Dialogs</title>
    <button onclick="alert('Look out'); out.textContent='alert done'">Alert</button>
    <button onclick="out.textContent='confirm '+confirm('Sure?')">Confirm</button>
    <button onclick="out.textContent='prompt '+prompt('Your name?')">Prompt</button>
    <button onclick="alert('one'); alert('two'); out.textContent='both'">Two</button>
    <button onclick="location='/slow-alert'">Leave</button>
    <p id="out">none</p>`,
  "/alert-on-load": `<title>Alerting</title><p>Before</p><script>alert("Cookies!")</script><p>After</p>`,
  "/unload": `<title>Unload</title><button onclick="dirty=true">Edit</button><a href="/second">Away</a><script>
      let dirty = false; addEventListener("beforeunload", (e) => { if (dirty) e.preventDefault(); });</script>`,

  "/popups": `<title>Popups</title><a href="/second" target="_blank">New tab</a>
    <button onclick="window.open('/inner')">Window</button>
    <button onclick="const w = window.open('about:blank'); w.document.write('<title>Written</title><button onclick=window.close()>Shut</button>')">Written</button>`,

  "/upload": `<title>Upload</title><input type="file" aria-label="Photo" onchange="out.textContent=this.files[0].name">
    <button onclick="pick.click()">Choose</button><input type="file" id="pick" style="display:none" onchange="out.textContent='hidden '+this.files[0].name">
    <button>Other</button><p id="out">none</p>`,
  "/downloads": `<title>Downloads</title><a href="/report" download="report.txt">Get report</a><a href="/attached">Get attachment</a>`,
  "/report": (_request, response) => response.end("numbers"),
  "/attached": (_request, response) =>
    response.writeHead(200, { "content-disposition": "attachment; filename=data.csv" }).end("a,b"),

  "/tall": `<title>Tall</title><style>body{margin:0}</style><div style="height:2000px">Top words</div><button>Bottom</button>`,
  "/scrollers": `<title>Scrollers</title><div id="box" style="height:100px;width:200px;overflow:auto"><div style="height:900px">Inner</div><button>Deep</button></div>`,
  "/drag": `<title>Drag</title><style>body{margin:0}#a,#b,#c{position:absolute;top:20px;width:80px;height:40px;background:#ccc}</style>
    <div id="a" draggable="true" role="button">Card</div><div id="b" style="left:200px" role="button">Bin</div>
    <div id="c" style="top:100px;cursor:pointer">Knob</div><p id="out" style="position:absolute;top:200px">none</p>
    <script>
      a.ondragstart = (e) => e.dataTransfer.setData("text", "card");
      b.ondragover = (e) => e.preventDefault();
      b.ondrop = (e) => { out.textContent = "dropped " + e.dataTransfer.getData("text"); };
      let from = null;
      c.onmousedown = (e) => { from = e.clientX; };
      document.onmousemove = (e) => { if (from !== null) out.textContent = "moved " + Math.round(e.clientX - from); };
      document.onmouseup = () => { from = null; };
    </script>`,

  "/motion": `<title>Motion</title><style>body{margin:0} @keyframes s{to{transform:rotate(1turn)}} @keyframes g{from{width:0}to{width:300px}}
      .spin{width:30px;height:30px;background:conic-gradient(red,blue);animation:s 1s infinite} .grow{height:10px;background:green;animation:g 4s forwards}
      .slide{position:absolute;top:100px;left:0;width:50px;height:20px;background:teal;transition:left 3s} .go{left:200px}</style>
    <div class="spin"></div><div class="grow"></div><button id="b">Slide</button><div class="slide" id="s"></div><p id="out" style="position:absolute;top:140px"></p>
    <script>b.onclick = () => s.classList.add("go"); s.ontransitionend = () => { out.textContent += "slid "; };
      document.querySelector(".grow").onanimationend = () => { out.textContent += "grown "; };
      b.animate([{ opacity: 0 }, { opacity: 1 }], { duration: 5000 }).finished.then(() => { out.textContent += "shown "; });</script>`,

  "/random": `<title>Random</title><style>@keyframes s{from{opacity:0}to{opacity:1}} .spin{animation:s 3s infinite} .t{transition:all 2s} :hover{outline:1px solid red}</style>
    <h1 class="spin" id="n"></h1><p id="u"></p><p id="t"></p><p id="p"></p><p id="g"></p><p id="i"></p><input autofocus>
    <div class="t" id="d" style="width:10px;height:10px;background:blue"></div><canvas id="c" width="60" height="20"></canvas>
    <script>
      n.textContent = Math.random(); u.textContent = crypto.randomUUID(); t.textContent = new Date().toISOString() + " " + Date.now();
      p.textContent = performance.now(); g.textContent = crypto.getRandomValues(new Uint32Array(3)).join();
      i.textContent = new Intl.DateTimeFormat("en", { dateStyle: "full", timeStyle: "full" }).format();
      c.getContext("2d").fillRect(Math.random() * 50, 0, 10, 10);
      d.style.width = "200px";
      const add = (text) => { const q = document.createElement("p"); q.textContent = text; document.body.append(q); };
      requestAnimationFrame((stamp) => { add(stamp); setTimeout(() => add("timer " + Date.now()), 5); });
    </script>`,
};
