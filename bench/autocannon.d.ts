/** autocannon 9 brings no types of its own; this is what is used of it. */
declare module "autocannon" {
  export interface Client {
    setBody(body: string): void;
    on(event: "response", listener: (status: number, bytes: number, ms: number) => void): void;
  }
  export interface Options {
    readonly url: string;
    readonly method: string;
    readonly connections: number;
    readonly duration: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
    readonly setupClient: (client: Client) => void;
  }
  export interface Result {
    readonly non2xx: number;
    readonly errors: number;
    readonly timeouts: number;
    readonly latency: { readonly p50: number; readonly p99: number; readonly max: number };
    readonly requests: { readonly total: number; readonly average: number };
  }
  export default function autocannon(options: Options): Promise<Result>;
}
