/** Reports a running host that this command can't use, and what a dead host has left behind. */
import { commandMessage } from "@plugboard/contracts";
import type { Check } from "./finding.ts";

export const checkHost: Check = ({ host, version }) => {
  const check = "host";
  switch (host.state) {
    case "none":
      return [{ check, severity: "ok", message: "No host is running. Commands start one of their own." }];
    case "running": {
      const message = "The running host was started before the last upgrade and still runs the old code.";
      if (host.outdated) return [{ check, severity: "warning", message, fix: "Run `plugboard restart`." }];
      return [{ check, severity: "ok", message: `A host of version ${version} is running.` }];
    }
    case "stale": {
      const message = `A host has ended without removing its socket ${host.socket}.`;
      return [
        { check, severity: "warning", message, fix: "The next `plugboard serve` replaces it. You may delete it." },
      ];
    }
    case "unusable":
      return [{ check, severity: "error", message: commandMessage(host.error) }];
  }
};
