/** Reports a port that `plugboard serve` can't use. */
import type { Check } from "./finding.ts";

export const checkPort: Check = ({ port: { port, state } }) => {
  const check = "port";
  switch (state) {
    case "free":
      return [{ check, severity: "ok", message: `Port ${port} is free for \`plugboard serve\`.` }];
    case "plugboard":
      return [{ check, severity: "ok", message: `A Plugboard listens on port ${port}.` }];
    case "taken": {
      const message = `Another program listens on port ${port}, so \`plugboard serve\` can't use it.`;
      return [{ check, severity: "warning", message, fix: "Stop that program, or run `plugboard serve --port 0`." }];
    }
    case "forbidden": {
      const message = `The system does not allow \`plugboard serve\` to listen on port ${port}.`;
      return [{ check, severity: "warning", message, fix: "Run `plugboard serve --port 0`." }];
    }
  }
};
