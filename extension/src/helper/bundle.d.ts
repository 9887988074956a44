/** Written by extension/build/bundle-helper.ts; declared here so that types can be checked before anything is built. */
declare module "#helper.json" {
  const bundle: import("./injection.ts").Bundle;
  export default bundle;
}
