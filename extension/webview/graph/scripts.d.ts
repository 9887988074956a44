/** A script of ours as text, bundled, from which a worker is made. */
declare module "script:*" {
  const text: string;
  export default text;
}
