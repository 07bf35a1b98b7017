/** An event of the host that matters to the owner, as a sentence. Pure. */
import type { HostEvent } from "@plugboard/contracts";

export function noticeText(event: HostEvent): string {
  switch (event.type) {
    case "config.changed": {
      const { added, removed, changed } = event;
      const parts = [
        added.length > 0 && `added ${added.join(", ")}`,
        removed.length > 0 && `removed ${removed.join(", ")}`,
        changed.length > 0 && `changed ${changed.join(", ")}`,
      ];
      return `The config was read again: ${parts.filter(Boolean).join("; ") || "no server changed"}.`;
    }
    case "config.failed":
    case "state.failed":
    case "login.failed":
    case "port.failed":
      return event.error.message;
    case "decision.dropped":
      return `Your permission for ${event.server}:${event.tool} was dropped, because it does not say for whom you gave it. You are asked again.`;
    case "decision.lapsed":
      return `${event.server}:${event.tool} has changed since you allowed it. You are asked again.`;
    case "question.unattended":
      return `Nobody could answer a question of ${event.server}: ${event.message}`;
    case "sampling.refused":
      return `${event.server} may not use your model: ${event.reason}`;
    case "activity.failed":
    case "telemetry.failed":
      return event.reason;
    default:
      return event.type;
  }
}
