// @ts-check
/** The page of `plugboard serve`, opened by the link of `plugboard ui`. */
import { join } from "node:path";
import { checkout } from "../checkout.mjs";
import { installed } from "../commands/command.mjs";
import { start as startGateway } from "../gateways/plugboard-gateway.mjs";

const { script } = installed(join(checkout, "packages", "cli"), "plugboard");

/** @type {import("./page.mjs").PageModule["start"]} */
export async function start(home, { servers }) {
  const definitions = Object.fromEntries(servers.map(({ id, definition }) => [id, definition]));
  const { endpoints, stop } = await startGateway(home, definitions);
  const signInUrl = (await home.run(script, "ui", "--no-open")).trim();
  return {
    signInUrl,
    // Not the origin of the link, which has a port of its own and leads to the page.
    origin: new URL(Object.values(endpoints)[0]?.url ?? "").origin,
    serversPath: "/#/servers",
    toolsPath: "/#/tools",
    selectors: {
      filter: '[aria-label="Filter servers"]',
      names: ".server-name",
      search: '[aria-label="Search tools"]',
      found: ".list-panel [role=status]",
      tools: ".tool-row code",
    },
    stop,
  };
}
