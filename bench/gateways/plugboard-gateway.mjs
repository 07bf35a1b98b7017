// @ts-check
/** `plugboard serve`, with its token. */
import { join } from "node:path";
import { checkout } from "../checkout.mjs";
import { installed } from "../commands/command.mjs";

const { script } = installed(join(checkout, "packages", "cli"), "plugboard");

/**
 * @param {import("./gateway.mjs").CommandHome} home
 * @param {{ readonly [id: string]: object }} mcpServers
 * @returns {Promise<import("./gateway.mjs").Running>}
 */
export async function start(home, mcpServers) {
  home.write("config/plugboard/config.json", { mcpServers });
  const { child, stop } = home.keep(script, "serve", "--port", "0");
  const origin = await new Promise((resolve, reject) => {
    let text = "";
    child.once("exit", () => reject(new Error("plugboard serve ended")));
    child.stdout.on("data", (chunk) => {
      const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec((text += chunk)) ?? [];
      if (url) resolve(url);
    });
  });
  const token = (await home.run(script, "token")).trim();
  const endpoint = { url: `${origin}/mcp`, headers: { authorization: `Bearer ${token}` } };
  return {
    endpoints: Object.fromEntries(Object.keys(mcpServers).map((id) => [id, { ...endpoint, prefix: `${id}__` }])),
    pids: [child.pid ?? 0],
    stop,
  };
}
