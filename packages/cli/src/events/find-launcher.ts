/** Recognises commands that download a server before they run it, such as `npx` and `docker run`. Pure. */
import { programName } from "@plugboard/contracts";

const LAUNCHERS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["npx", /^(?:npx|npm (?:exec|x))(?: |$)/],
  ["pnpm", /^(?:pnpx|pnpm dlx)(?: |$)/],
  ["yarn", /^yarn dlx(?: |$)/],
  ["bunx", /^(?:bunx|bun x)(?: |$)/],
  ["uvx", /^(?:uvx|uv tool run|uv run)(?: |$)/],
  ["pipx", /^pipx run(?: |$)/],
  ["docker", /^docker (?:container )?run(?: |$)/],
  ["podman", /^podman (?:container )?run(?: |$)/],
];

/** Expects the command as `ServerStatus.target` shows it. Returns undefined for other programs. */
export function findLauncher(target: string): string | undefined {
  // On Windows, npx is started as `cmd /c npx`.
  const [program = "", ...words] = target.replace(/^cmd(?:\.exe)? \/c /i, "").split(" ");
  const command = [programName(program), ...words].join(" ");
  return LAUNCHERS.find(([, pattern]) => pattern.test(command))?.[0];
}
