export { fakeCore as testCore } from '/tmp/fake-core.ts';
