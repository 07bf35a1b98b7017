/** Reports a port that `plugboard serve` can't use. */
import type { Check } from "./finding.ts";

export const checkPort: Check = ({ port: { port, state }, host }) => {
  const check = "port";
  const fix = "Stop that program, or run `plugboard serve --port 0`.";
  switch (state) {
    case "free":
      return [{ check, severity: "ok", message: `Port ${port} is free for \`plugboard serve\`.` }];
    case "plugboard": {
      if (host.state === "running" && host.port === port)
        return [{ check, severity: "ok", message: `Your host listens on port ${port}.` }];
      // A host that can't be asked may be the one that has the port.
      if (host.state === "unusable")
        return [{ check, severity: "ok", message: `A Plugboard listens on port ${port}.` }];
      const message = `A Plugboard that is not yours listens on port ${port}, so \`plugboard serve\` can't use it.`;
      return [{ check, severity: "warning", message, fix }];
    }
    case "taken": {
      const message = `Another program listens on port ${port}, so \`plugboard serve\` can't use it.`;
      return [{ check, severity: "warning", message, fix }];
    }
    case "forbidden": {
      const message = `The system does not allow \`plugboard serve\` to listen on port ${port}.`;
      return [{ check, severity: "warning", message, fix: "Run `plugboard serve --port 0`." }];
    }
  }
};
