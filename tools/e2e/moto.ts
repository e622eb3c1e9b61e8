import { join } from 'node:path';
import type { ClusterProgram } from './cluster-program.ts';
import { run } from './kubernetes.ts';

/** The image of moto, which answers as AWS does and runs nothing. */
export const motoImage = 'docker.io/e2e/moto:5';

/** Where moto's packages lie in the image: `PYTHONPATH` says so to Python. */
export const motoPackages = '/opt/moto';

/** Python of Debian trixie, which the wheels are chosen for. */
const python = '3.13';

/**
 * Makes moto's image out of Debian's Python and the wheels of `pods/moto.txt`. Returns undefined where there is no pip to fetch them with: the scenario is then
 * skipped.
 */
export async function motoArchive(cluster: ClusterProgram, folder: string): Promise<string | undefined> {
  const wheels = join(folder, 'moto-packages');
  const requirements = join(import.meta.dirname, 'pods', 'moto.txt');
  const platforms = ['manylinux2014_x86_64', 'manylinux_2_28_x86_64'].flatMap((name) => ['--platform', name]);
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--root-user-action=ignore'];
  const target = ['--target', wheels, '--no-compile', '--only-binary=:all:', '--python-version', python, ...platforms];
  try {
    await run('python3', [...pip, ...target, '--requirement', requirements]);
  } catch (error) {
    console.log(`          moto's packages can't be fetched: ${String(error).split('\n')[0] ?? ''}`);
    return undefined;
  }
  const archive = join(folder, 'moto.tar');
  await cluster.run(
    'image',
    motoImage,
    archive,
    ...['--suite', 'trixie', '--package', 'python3', '--package', 'busybox-static'],
    ...['--file', `${wheels}:${motoPackages}`],
    '--entrypoint',
    JSON.stringify(['/usr/bin/python3', '-m', 'moto.server', '-H', '0.0.0.0', '-p', '5000']),
  );
  return archive;
}
