import type { Caller } from "@plugboard/contracts";
import { ConnectedFronts } from "#fronts/connected-fronts.js";
import { describe, expect, it, vi } from "vitest";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";
import { revisionNamed } from "../helpers/revision-named.ts";

const MINUTE = 60_000;
const MODERN = { revision: revisionNamed("2026-07-28"), version: "1.2" };
const LEGACY = { revision: revisionNamed("2025-06-18") };

/** Each modern HTTP request has a caller id of its own. */
let lastId = 0;
const http = (token: string, client: string, session = String(++lastId)): Caller => ({
  kind: "front",
  id: `${token}/${session}`,
  principal: { id: `token:${token}`, name: token, mayApprove: false },
  client,
});

function make() {
  const clock = new ManualClock();
  const onChange = vi.fn<() => void>();
  const fronts = new ConnectedFronts({ clock, profile: "work", onChange });
  return { clock, onChange, fronts, names: () => fronts.list.map(({ name }) => name) };
}

describe("ConnectedFronts", () => {
  it("lists an HTTP client while it has an open request, and for five minutes after it", () => {
    const { clock, fronts, onChange, names } = make();
    const end = fronts.beginRequest(http("cursor", "Cursor"), MODERN);
    clock.advance(60 * MINUTE);
    expect(names()).toEqual(["Cursor"]);
    end();
    clock.advance(5 * MINUTE - 1);
    expect(names()).toEqual(["Cursor"]);
    onChange.mockClear();
    clock.advance(1000);
    expect(names()).toEqual([]);
    expect(onChange).toHaveBeenCalledOnce();
    expect(clock.pendingTimers).toBe(0);
  });

  it("lists no client after it is closed, and reports this as one change", () => {
    const { clock, fronts, onChange, names } = make();
    const end = fronts.beginRequest(http("cursor", "Cursor"), MODERN);
    clock.advance(MINUTE);
    onChange.mockClear();
    onChange.mockImplementation(() => expect(names()).toEqual([]));
    fronts.close();
    expect(onChange).toHaveBeenCalledOnce();
    end();
    fronts.beginRequest(http("zed", "Zed"), MODERN)();
    expect([onChange.mock.calls.length, clock.pendingTimers]).toEqual([1, 0]);
  });

  it("reports a change that is still waiting when it is closed, and reports nothing if it had no clients", () => {
    const { clock, fronts, onChange } = make();
    fronts.connect({ kind: "front", id: "1" })();
    fronts.beginRequest(http("cursor", "Cursor"), MODERN)();
    fronts.close();
    expect(onChange).toHaveBeenCalledOnce();
    expect(clock.pendingTimers).toBe(0);
    const empty = make();
    empty.fronts.close();
    expect(empty.onChange).not.toHaveBeenCalled();
  });

  it("counts the calls of a modern client over all of its requests", () => {
    const { clock, fronts } = make();
    for (const at of [10, 20]) {
      clock.advance(10);
      const caller = http("cursor", "Cursor");
      const end = fronts.beginRequest(caller, MODERN);
      fronts.countCall(caller, MODERN.revision);
      end();
      expect(fronts.list[0]).toMatchObject({ calls: at / 10, lastCallAt: at });
    }
    expect(fronts.list).toEqual([
      {
        transport: "http",
        token: "cursor",
        name: "Cursor",
        version: "1.2",
        era: "modern",
        revision: "2026-07-28",
        profile: "work",
        connectedAt: 10,
        calls: 2,
        lastCallAt: 20,
      },
    ]);
  });

  it("lists the sessions of a client as one entry, and clients with different names separately", () => {
    const { fronts } = make();
    for (const session of ["a", "b"]) {
      fronts.beginRequest(http("t", "Cursor", session), LEGACY)();
      fronts.countCall(http("t", "Cursor", session), LEGACY.revision);
    }
    fronts.beginRequest(http("t", "Zed", "c"), LEGACY)();
    expect(fronts.list).toMatchObject([
      { name: "Cursor", calls: 2, era: "legacy" },
      { name: "Zed", calls: 0 },
    ]);
    fronts.remove("t/a");
    expect(fronts.list).toMatchObject([{ name: "Cursor", calls: 1 }, { name: "Zed" }]);
  });

  it("lists a stdio client while it is connected, and takes its name from its first request", () => {
    const { clock, fronts, onChange } = make();
    const caller: Caller = { kind: "front", id: "1" };
    const disconnect = fronts.connect(caller);
    expect(fronts.list).toEqual([{ transport: "stdio", profile: "work", connectedAt: 0, calls: 0 }]);
    clock.advance(60 * MINUTE);
    fronts.beginRequest({ ...caller, client: "Codex" }, LEGACY)();
    clock.advance(60 * MINUTE);
    expect(fronts.list).toMatchObject([{ transport: "stdio", name: "Codex", era: "legacy", connectedAt: 0 }]);
    expect(onChange).toHaveBeenCalledTimes(2);
    disconnect();
    expect(fronts.list).toEqual([]);
    fronts.close();
    expect(onChange).toHaveBeenCalledTimes(3);
    expect(clock.pendingTimers).toBe(0);
  });

  it("reports many changes in a short time as one, and no change for a known client", () => {
    const { clock, fronts, onChange } = make();
    for (let i = 0; i < 50; i++) fronts.beginRequest(http("t", `client ${i % 3}`), MODERN)();
    clock.advance(100);
    expect(onChange).toHaveBeenCalledOnce();
    fronts.beginRequest(http("t", "client 0"), MODERN)();
    clock.advance(MINUTE);
    expect(onChange).toHaveBeenCalledOnce();
  });

  it("removes the clients of a revoked token", () => {
    const { fronts, names } = make();
    fronts.beginRequest(http("gone", "A"), MODERN);
    fronts.beginRequest(http("gone", "B", "s"), LEGACY);
    fronts.beginRequest(http("kept", "C"), MODERN);
    fronts.removePrincipal("token:gone");
    expect(names()).toEqual(["C"]);
  });

  it("drops idle clients first when a client changes its name with each request", () => {
    const { fronts, names } = make();
    fronts.beginRequest(http("t", "busy"), MODERN);
    for (let i = 0; i < 3000; i++) fronts.beginRequest(http("t", `name ${i}`), MODERN)();
    expect(names()).toHaveLength(1000);
    expect(names()).toContain("busy");
    expect(names()).toContain("name 2999");
  });

  it("keeps the idle clients of other tokens when one token has more clients than are listed", () => {
    const { fronts, names } = make();
    for (const name of ["Cursor", "Zed"]) fronts.beginRequest(http("mine", name), MODERN)();
    for (let i = 0; i < 3000; i++) fronts.beginRequest(http("flooding", `name ${i}`), MODERN)();
    expect(names()).toHaveLength(1000);
    expect(names().slice(0, 2)).toEqual(["Cursor", "Zed"]);
    fronts.beginRequest(http("mine", "Claude Code"), MODERN)();
    expect(names()).toEqual(expect.arrayContaining(["Cursor", "Zed", "Claude Code", "name 2999"]));
  });
});
