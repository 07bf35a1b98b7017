/**
 * Shows a notice in the place of a part of the page that throws. Without it, React would remove the whole page. Values
 * of servers can make any part throw.
 */
import { Component } from "react";
import type { ReactNode } from "react";
import { sanitizeLine } from "@plugboard/contracts";
import { messageOf } from "../format/message-of.ts";
import { Button } from "./button.tsx";
import { Notice } from "./layout.tsx";

interface ErrorBoundaryProps {
  /** The name of the part in the notice, such as `This view`. */
  readonly subject: string;
  /** Shows the part again when this changes. */
  readonly place?: string;
  readonly children: ReactNode;
}

interface BoundaryState {
  readonly error: string | undefined;
}

const NO_ERROR: BoundaryState = { error: undefined };

export class ErrorBoundary extends Component<ErrorBoundaryProps, BoundaryState> {
  static getDerivedStateFromError(error: unknown): BoundaryState {
    return { error: messageOf(error) };
  }

  override readonly state: BoundaryState = NO_ERROR;

  override componentDidUpdate({ place }: ErrorBoundaryProps): void {
    if (place !== this.props.place && this.state.error !== undefined) this.setState(NO_ERROR);
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <Notice tone="danger">
        <div className="stack-tight">
          <p>
            {this.props.subject} can't be shown: {sanitizeLine(error).slice(0, 500)}
          </p>
          <div>
            <Button small onClick={() => this.setState(NO_ERROR)}>
              Try again
            </Button>
          </div>
        </div>
      </Notice>
    );
  }
}
