/** Reports servers that need another version of Node than the one that would run them. */
import type { ServerFacts } from "../facts/facts.ts";
import type { Check, Finding } from "./finding.ts";
import { satisfiesNodeRange } from "./node-range.ts";

export const checkNode: Check = ({ servers, version, node }) => [
  { check: "node", severity: "ok", message: `Plugboard ${version} runs on Node ${node}.` },
  ...servers.filter(({ enabled }) => enabled).flatMap((server) => checkServer(server, node)),
];

function checkServer({ id, programFacts }: ServerFacts, ownNode: string): Finding[] {
  const { node, engines, npx } = programFacts ?? {};
  if (node === undefined) {
    if (!npx) return [];
    const message = "npx needs a `node` on PATH, and there is none that works.";
    return [{ check: "node", severity: "error", server: id, message, fix: "Install Node, or add its folder to PATH." }];
  }
  if (engines === undefined || satisfiesNodeRange(node, engines) !== false) return [];
  const message = `It needs Node ${engines}, but the \`node\` on PATH is ${node}.`;
  const ownIsEnough = satisfiesNodeRange(ownNode, engines) === true;
  const fix = ownIsEnough
    ? `Put the Node that runs Plugboard (${ownNode}) first on PATH, or set PATH in its \`env\`.`
    : "Install a Node of that version, or set PATH in its `env`.";
  return [{ check: "node", severity: "error", server: id, message, fix }];
}
