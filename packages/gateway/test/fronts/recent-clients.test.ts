import { RecentClients } from "#fronts/recent-clients.js";
import { describe, expect, it } from "vitest";
import { ManualClock } from "../../../mcp/test/helpers/manual-clock.ts";

describe("RecentClients", () => {
  it("names a client while it has an open request, and for five minutes after it", () => {
    const clock = new ManualClock();
    const clients = new RecentClients(clock);
    const end = clients.begin("cursor");
    clock.advance(3_600_000);
    expect(clients.names).toEqual(["cursor"]);
    end(false);
    clock.advance(299_999);
    expect(clients.names).toEqual(["cursor"]);
    clock.advance(1);
    expect(clients.names).toEqual([]);
  });

  it("names each token once, and forgets a client that has ended its session", () => {
    const clients = new RecentClients(new ManualClock());
    const ends = [clients.begin("cursor"), clients.begin("codex"), clients.begin("cursor")];
    expect(clients.names).toEqual(["cursor", "codex"]);
    for (const end of ends) end(true);
    expect(clients.names).toEqual([]);
  });
});
