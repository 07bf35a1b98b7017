/** The service manager of macOS: the plist file of the host as a launchd agent, and the commands of launchctl. */
import { join } from "node:path";
import type { ServiceManager, ServiceSpec } from "./service-manager.ts";

const LABEL = "dev.plugboard.host";

export function launchd(home: string, userId: number): ServiceManager {
  const file = join(home, "Library", "LaunchAgents", `${LABEL}.plist`);
  const domain = `gui/${userId}`;
  const launchctl = (...words: string[]) => ({ words: ["launchctl", ...words] });
  const bootout = { ...launchctl("bootout", `${domain}/${LABEL}`), mayFail: true } as const;
  return {
    name: "launchd",
    file,
    render: renderPlist,
    // Unloads the agent first, because a loaded agent can't be loaded again.
    install: [bootout, launchctl("bootstrap", domain, file)],
    uninstall: [bootout],
    restart: launchctl("kickstart", "-k", `${domain}/${LABEL}`),
    status: { ...launchctl("print", `${domain}/${LABEL}`), mayFail: true },
    isRunning: (output) => /^\s*state = running$/m.test(output),
    logPlace: ({ log }) => log,
  };
}

function renderPlist({ command, folder, env, log }: ServiceSpec): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${LABEL}</string>
  <key>ProgramArguments</key>
  <array>
${command.map((word) => `    <string>${escapeXml(word)}</string>`).join("\n")}
  </array>
  <key>WorkingDirectory</key>
  <string>${escapeXml(folder)}</string>
  <key>EnvironmentVariables</key>
  <dict>
${Object.entries(env)
  .map(([name, value]) => `    <key>${escapeXml(name)}</key>\n    <string>${escapeXml(value)}</string>`)
  .join("\n")}
  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ExitTimeOut</key>
  <integer>60</integer>
  <key>StandardOutPath</key>
  <string>${escapeXml(log)}</string>
  <key>StandardErrorPath</key>
  <string>${escapeXml(log)}</string>
</dict>
</plist>
`;
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
