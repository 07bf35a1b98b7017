// @ts-check
/**
 * A minimal page: a static file with a list of servers and a search over tools, and the data as JSON. Has no live state,
 * sign-in, styles or error handling. Frozen, because the figures of the page are compared with it.
 *
 *   node page.mjs <file with { servers, tools }>
 */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

const { servers, tools } = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));

const HTML = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Servers</title>
<link rel="icon" href="data:,">
<input id="filter" aria-label="Filter servers"><table id="servers"></table>
<input id="search" aria-label="Search tools"> <span id="found"></span><ul id="tools"></ul>
<script type="module">
  const element = (tag, ...children) => {
    const made = document.createElement(tag);
    made.append(...children);
    return made;
  };
  const byId = (id) => document.getElementById(id);
  const isTools = location.hash === "#tools";
  const items = await (await fetch(isTools ? "/tools.json" : "/servers.json")).json();
  const texts = items.map((item) => Object.values(item).join(" ").toLowerCase());
  const matching = (word) => items.filter((_, at) => texts[at].includes(word.toLowerCase()));
  const showServers = () => {
    const rows = matching(byId("filter").value).map((server) =>
      element("tr", ...Object.values(server).map((value) => element("td", value))));
    byId("servers").replaceChildren(...rows);
  };
  const showTools = () => {
    const found = matching(byId("search").value);
    byId("found").textContent = found.length + " tools";
    byId("tools").replaceChildren(...found.slice(0, 30).map(({ server, tool, description }) =>
      element("li", element("code", tool), " ", server, " ", description)));
  };
  byId("filter").oninput = showServers;
  byId("search").oninput = showTools;
  if (isTools) showTools();
  else showServers();
</script>`;

/** @type {{ [path: string]: readonly [type: string, body: string] }} */
const files = {
  "/": ["text/html", HTML],
  "/servers.json": ["application/json", JSON.stringify(servers)],
  "/tools.json": ["application/json", JSON.stringify(tools)],
};

const server = createServer((request, response) => {
  const [type, body] = files[request.url ?? ""] ?? ["text/plain", ""];
  response.writeHead(body === "" ? 404 : 200, { "content-type": type }).end(body);
});

server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address !== null && typeof address === "object") console.log(`http://127.0.0.1:${address.port}`);
});
