/**
 * Preload (`node --import`): writes every frame this process sends to a file, for `npm run check:wire`.
 * Does nothing unless PLUGBOARD_WIRE_DIR is set. One file per process; its threads append whole lines to it.
 */
import { subscribe } from "node:diagnostics_channel";
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";

interface WireFrame {
  readonly direction: "sent" | "received";
  readonly revision: string;
  readonly role: "client" | "server";
  /** For a response: the method of the request it answers. */
  readonly answers?: string;
  readonly message: object;
}

const folder = process.env["PLUGBOARD_WIRE_DIR"];
if (folder) {
  subscribe("plugboard.wire", (published) => {
    const { direction, revision, role, answers, message } = published as WireFrame;
    if (direction !== "sent") return;
    mkdirSync(folder, { recursive: true });
    appendFileSync(join(folder, `${process.pid}.jsonl`), `${JSON.stringify({ revision, role, answers, message })}\n`);
  });
}
