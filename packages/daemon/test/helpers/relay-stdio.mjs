// Fixture: relays between its own stdio and that of a command, like a gateway that drops host ids.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const [, , command, ...args] = process.argv;
const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });

function relay(from, to) {
  createInterface({ input: from }).on("line", (line) => {
    const { params, result, error, ...envelope } = JSON.parse(line);
    const [relayedParams, relayedResult] = [params, result].map(withoutInstances);
    const failed = error && { error: { code: error.code, message: error.message } };
    const message = {
      ...envelope,
      ...(relayedParams && { params: relayedParams }),
      ...(relayedResult && { result: relayedResult }),
      ...failed,
    };
    to.write(`${JSON.stringify(message)}\n`);
  });
}

function withoutInstances(value) {
  if (value?._meta === undefined) return value;
  const { "plugboard/instances": _, ..._meta } = value._meta;
  return { ...value, _meta };
}

relay(process.stdin, child.stdin);
relay(child.stdout, process.stdout);
process.stdin.on("end", () => child.stdin.end());
child.on("exit", () => process.exit());
