/** Tests which client a task of a server belongs to. */
import type { Caller } from "@plugboard/contracts";
import { outwardTaskId } from "@plugboard/host/forwarding";
import { TaskOwners } from "#requests/task-owners.js";
import { describe, expect, it } from "vitest";

const clientOf = (id: string, connection = 1): Caller => ({
  kind: "front",
  id: `${id}/${connection}`,
  principal: { id, name: "same name", mayApprove: false },
});
const [ann, bob] = [clientOf("token:ann"), clientOf("token:bob")];
const task = { server: "s", taskId: "1" } as Parameters<TaskOwners["add"]>[0];
const id = outwardTaskId(task);

function owners({
  share,
  servers = ["s"],
  seen = ["s"],
}: { share?: string; servers?: string[]; seen?: string[] } = {}) {
  const forwarded = servers.map((server) => ({ id: server, share }));
  const workspace = { forwarding: { servers: () => forwarded } };
  return new TaskOwners(workspace as never, { includes: (server: string) => seen.includes(server) } as never);
}

describe("TaskOwners", { meta: { covers: ["S19"] } }, () => {
  it("finds a task for every connection of the client that got it, and for no other client", () => {
    const tasks = owners();
    expect(tasks.find(id, ann)).toBeUndefined();
    tasks.add(task, ann);
    expect(tasks.find(id, ann)).toEqual({ ...task, client: ann.id });
    expect(tasks.find(id, clientOf("token:ann", 2))).toEqual({ ...task, client: ann.id });
    expect(tasks.find(id, bob)).toBeUndefined();
    expect(tasks.find("1", ann)).toBeUndefined();
  });

  it("assigns a task to the last client if the server uses its id twice", () => {
    const tasks = owners();
    tasks.add(task, ann);
    tasks.add(task, bob);
    expect([tasks.find(id, ann), tasks.find(id, bob)]).toEqual([undefined, { ...task, client: bob.id }]);
  });

  it("keeps tasks with the same id apart if their clients have separate connections", () => {
    const tasks = owners({ share: "caller" });
    tasks.add(task, ann);
    tasks.add(task, bob);
    expect([tasks.find(id, ann), tasks.find(id, bob)]).toMatchObject([
      { ...task, client: ann.id },
      { ...task, client: bob.id },
    ]);
  });

  it("finds no task of a server that is hidden or gone", () => {
    for (const hidden of [owners({ seen: [] }), owners({ servers: [] })]) {
      hidden.add(task, ann);
      expect(hidden.find(id, ann)).toBeUndefined();
    }
  });

  it("forgets the oldest of more than ten thousand tasks, and counts a task that is added again as new", () => {
    const tasks = owners();
    const numbered = (taskId: number) => ({ server: "s", taskId: `${taskId}` }) as typeof task;
    const isKnown = (taskId: number) => tasks.find(outwardTaskId(numbered(taskId)), ann) !== undefined;
    for (let taskId = 0; taskId < 10_000; taskId++) tasks.add(numbered(taskId), ann);
    expect(isKnown(0)).toBe(true);
    tasks.add(numbered(0), ann);
    tasks.add(numbered(10_000), ann);
    expect([isKnown(0), isKnown(1), isKnown(2), isKnown(10_000)]).toEqual([true, false, true, true]);
  });
});
