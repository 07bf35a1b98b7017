// @ts-check
/** The hand-written page of `raw/page.mjs`. */
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const SCRIPT = fileURLToPath(new URL("../raw/page.mjs", import.meta.url));

/** @type {import("./page.mjs").PageModule["start"]} */
export async function start(home, { servers, tools }) {
  home.write("page.json", { servers: servers.map(({ id, target }) => ({ id, target, state: "ready" })), tools });
  const { child, stop } = home.keep(SCRIPT, join(home.folder, "page.json"));
  const [printed] = await once(child.stdout, "data");
  return {
    origin: String(printed).trim(),
    serversPath: "/",
    toolsPath: "/#tools",
    selectors: {
      filter: "#filter",
      names: "#servers td:first-child",
      search: "#search",
      found: "#found",
      tools: "#tools code",
    },
    stop,
  };
}
