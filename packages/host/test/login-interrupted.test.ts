/** Logins that something comes in between: the host closes, the user gives up or logs out. */
import { expect, it, onTestFinished } from "vitest";
import { makeProtected, userWith } from "./protected.ts";

it("a host that is closed before its login has begun leaves nothing behind that fails unheard", async () => {
  const { server, host: open } = await makeProtected();
  const unheard: unknown[] = [];
  const hear = (reason: unknown) => void unheard.push(reason);
  process.on("unhandledRejection", hear);
  onTestFinished(() => void process.off("unhandledRejection", hear));
  const asked = server.fault(({ method }) => method === "POST", "hang");
  const host = await open(userWith().ports);
  const login = host.login("x");
  login.catch(() => {});
  await asked;
  await host.close();
  await expect(login).rejects.toMatchObject({ code: "CANCELLED" });
  // What failed unheard is told of after the turn it failed in; the lock is given up some turns later.
  for (let turns = 0; turns < 200; turns++) await new Promise((resolve) => setImmediate(resolve));
  expect(unheard).toEqual([]);
});
