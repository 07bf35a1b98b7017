// @ts-check
/**
 * Says through which face of Plugboard a test goes. A face is the way in that a person or a program uses. Pure.
 *
 * The folder of a test names its face. A test file that imports inner files of its package (`#calls/run-call.js`)
 * calls the code below the face, so it counts as below any face, in whichever folder it lies.
 */

export const BELOW = "below any face";

/** The faces and the test files of each, in the order of the documents. The first pattern that matches decides. */
const FACES = /** @type {const} */ ([
  // A test of these folders creates a host as a program does: with `createHost`.
  ["library", /^packages\/host\/test\/(auth|calls|conformance|host|library|policy|tools|trust|workspace)\//],
  // The chat runs in a pseudo-terminal.
  ["chat", /^packages\/cli\/test\/tui\/chat\//],
  // The command runs as a process. The other folders of cli test its parts.
  ["command", /^packages\/cli\/test\/((commands|packed|prompt)\/|[^/]+$)/],
  // The page runs in Chromium, or its requests are sent without a browser.
  ["page", /^packages\/(web\/test\/browser|daemon\/test\/page)\//],
  // A client of the control API, mostly over the socket of a running host.
  ["socket", /^packages\/(remote\/test|daemon\/test\/(chats|control|operations|rights))\//],
  // A client of the gateway, or of the port that it listens on.
  ["gateway", /^packages\/(daemon\/test\/|gateway\/test\/[^/]+$)/],
]);

const INNER_IMPORT = /^(?:import (?!type\b)[^;]*?|} )from "#/m;

/**
 * @param {string} file from the root, with slashes
 * @param {string} source of the test file
 * @returns {string}
 */
export function faceOf(file, source) {
  if (INNER_IMPORT.test(source)) return BELOW;
  return FACES.find(([, pattern]) => pattern.test(file))?.[0] ?? BELOW;
}

/**
 * Joins the faces of the tests of one entry. Returns `BELOW` only if no test goes through a face.
 * @param {readonly string[]} faces
 */
export function nameFaces(faces) {
  const named = FACES.map(([face]) => face).filter((face) => faces.includes(face));
  return named.length === 0 ? BELOW : `through ${named.join(", ")}`;
}
