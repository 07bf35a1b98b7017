// @ts-check
/** The benchmark server as an in-process object, with the interface of the official SDKs' servers. */
import { answer } from "./answer.mjs";

export function serverObject() {
  return {
    /** @param {any} transport */
    async connect(transport) {
      // oxlint-disable-next-line unicorn/prefer-add-event-listener -- no event target
      transport.onmessage = (/** @type {object} */ message) => {
        const answered = answer(JSON.stringify(message));
        if (answered !== "") void transport.send(JSON.parse(answered));
      };
      await transport.start();
    },
  };
}
