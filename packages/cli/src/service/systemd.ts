/** The service manager of Linux: the file of the host as a systemd user unit, and the commands of systemctl. */
import { join } from "node:path";
import type { Env } from "@plugboard/contracts";
import type { ServiceManager, ServiceSpec } from "./service-manager.ts";

const UNIT = "plugboard.service";

export function systemd(home: string, env: Env): ServiceManager {
  const systemctl = (...words: string[]) => ({ words: ["systemctl", "--user", ...words] });
  return {
    name: "systemd",
    file: join(env["XDG_CONFIG_HOME"] || join(home, ".config"), "systemd", "user", UNIT),
    render: renderUnit,
    install: [systemctl("daemon-reload"), systemctl("enable", UNIT), systemctl("restart", UNIT)],
    uninstall: [{ ...systemctl("disable", "--now", UNIT), mayFail: true }],
    restart: systemctl("restart", UNIT),
    status: systemctl("show", "--property=ActiveState", UNIT),
    isRunning: (output) => /^ActiveState=(?:active|activating|reloading)$/m.test(output),
    logPlace: () => "`journalctl --user -u plugboard`",
  };
}

/**
 * `KillMode=mixed` sends SIGTERM to the host only, which then stops its servers. `$` is escaped only in ExecStart,
 * because systemd expands variables only there.
 */
function renderUnit({ command, folder, env }: ServiceSpec): string {
  return `[Unit]
Description=Plugboard, one host for every MCP server

[Service]
ExecStart=${command.map((word) => quote(word.replaceAll("$", "$$$$"))).join(" ")}
WorkingDirectory=${escapeSpecifiers(folder)}
${Object.entries(env)
  .map(([name, value]) => `Environment=${quote(`${name}=${value}`)}`)
  .join("\n")}
Restart=on-failure
RestartSec=2
KillMode=mixed
TimeoutStopSec=60

[Install]
WantedBy=default.target
`;
}

/** Quotes a word. A plain word stays readable. */
function quote(word: string): string {
  if (/^[\w/.:=@,+-]+$/.test(word)) return word;
  return `"${escapeSpecifiers(word).replaceAll(/[\\"]/g, "\\$&").replaceAll("\n", "\\n")}"`;
}

function escapeSpecifiers(text: string): string {
  return text.replaceAll("%", "%%");
}
