/** Tests WebRTC in an App, which no content security policy stops. Uses the full Chromium, as people do. */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { APP_CLIENT } from "@plugboard/testkit/servers/apps/app-client";
import { appsStdio } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished } from "vitest";
import { startPageHost, useBrowser } from "../helpers/page-fixture.ts";

const { openPage } = useBrowser({ whole: true });

/** Collects the packets that reach a port of this machine. */
async function startPeer() {
  const packets: string[] = [];
  const socket = createSocket("udp4").on("message", (packet) => packets.push(packet.toString("latin1")));
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  onTestFinished(() => void socket.close());
  return { port: socket.address().port, packets, first: once(socket, "message") };
}

/** Sends a text to the peer as the name of a connection, without waiting for an answer of the peer. */
const send = (port: number) => `${APP_CLIENT}
  const sdp = ["v=0", "o=- 1 2 IN IP4 127.0.0.1", "s=-", "t=0 0", "a=group:BUNDLE 0",
    "m=application 9 UDP/DTLS/SCTP webrtc-datachannel", "c=IN IP4 0.0.0.0", "a=ice-ufrag:whatTheAppKnows",
    "a=ice-pwd:abcdefghijklmnopqrstuvwx", "a=fingerprint:sha-256 " + Array(32).fill("AA").join(":"),
    "a=setup:active", "a=mid:0", "a=sctp-port:5000", ""].join("\\r\\n");
  start().then(async () => {
    try {
      const connection = new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.1:${port}" }] });
      const gathered = new Promise((resolve) => {
        connection.onicegatheringstatechange = () => connection.iceGatheringState === "complete" && resolve();
      });
      connection.createDataChannel("data");
      await connection.setLocalDescription(await connection.createOffer());
      await connection.setRemoteDescription({ type: "answer", sdp });
      await connection.addIceCandidate({ candidate: "candidate:1 1 UDP 1 127.0.0.1 ${port} typ host", sdpMid: "0" });
      await gathered;
    } catch {}
    notify("notifications/message", { data: "tried" });
  });
`;

describe("an App that uses WebRTC", { meta: { covers: ["A22"] } }, () => {
  it("sends nothing to a peer, in a browser that knows the allowlist of connections", async () => {
    const peer = await startPeer();
    const page = await openPage(await startPageHost({ apps: appsStdio() }, { allow: ["*"] }), "#/tools/apps/custom");
    await page.getByRole("textbox", { name: "text" }).fill(`<!doctype html><script>${send(peer.port)}</script>`);
    await page.getByRole("button", { name: "Call", exact: true }).click();
    await Promise.race([page.getByText("Messages of the App (1)").waitFor(), peer.first]);
    expect(peer.packets).toEqual([]);
  });
});
