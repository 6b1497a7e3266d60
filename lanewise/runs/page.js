"use strict";
// The page of a replay. Poses of all bodies of all worlds are a texture that is filled for the time
// shown; a geom is drawn once for all worlds, and its vertices find their body's pose by the number
// of the instance.

const scene = JSON.parse(document.getElementById("scene").textContent);
const byId = (id) => document.getElementById(id);
const canvas = byId("canvas");

function fail(text) {
  const trouble = byId("trouble");
  trouble.textContent = text;
  trouble.hidden = false;
}

// ------------------------------------------------------------------------------- bytes of the page

function bytesOf(text) {
  const raw = atob(text.trim()), bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

async function inflated(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Whole numbers that were written as differences in time, byte plane by byte plane.
function numbers(bytes, start, planes, count, frames) {
  const total = count * frames, out = new Int32Array(total), shift = 32 - 8 * planes;
  for (let i = 0; i < total; i++) {
    let value = 0;
    for (let k = 0; k < planes; k++) value |= bytes[start + k * total + i] << (8 * k);
    value = (value << shift) >> shift;
    out[i] = i < count ? value : ((out[i - count] + value) << shift) >> shift;
  }
  return out;
}

// ------------------------------------------------------------------------------------------ vectors

const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) =>
  [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => { const n = Math.hypot(...a) || 1; return a.map((x) => x / n); };

function looking(eye, target) {
  const z = unit(sub(eye, target));
  const x = unit(cross(Math.abs(z[2]) > 0.999 ? [0, 1, 0] : [0, 0, 1], z)), y = cross(z, x);
  return [x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0,
    -dot(x, eye), -dot(y, eye), -dot(z, eye), 1];
}

function product(a, b) {
  const out = new Array(16).fill(0);
  for (let i = 0; i < 4; i++) for (let j = 0; j < 4; j++) for (let k = 0; k < 4; k++)
    out[4 * i + j] += b[4 * i + k] * a[4 * k + j];
  return out;
}

function perspective(angle, aspect, near, far) {
  const f = 1 / Math.tan(angle / 2);
  return [f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1,
    0, 0, 2 * far * near / (near - far), 0];
}

const parallel = (size, depth) =>
  [1 / size, 0, 0, 0, 0, 1 / size, 0, 0, 0, 0, -1 / depth, 0, 0, 0, 0, 1];

// ------------------------------------------------------------------------------------------- shapes
// Positions and normals; `cap` moves a vertex by so many half lengths along z.

function round(rings, parts) {
  const out = { position: [], normal: [], index: [] };
  for (let i = 0; i <= rings; i++) {
    const polar = Math.PI * i / rings;
    for (let j = 0; j <= parts; j++) {
      const angle = 2 * Math.PI * j / parts;
      const p = [Math.sin(polar) * Math.cos(angle), Math.sin(polar) * Math.sin(angle), Math.cos(polar)];
      out.position.push(...p);
      out.normal.push(...p);
    }
  }
  grid(out, rings, parts);
  return out;
}

function grid(out, rows, columns) {
  for (let i = 0; i < rows; i++) for (let j = 0; j < columns; j++) {
    const a = i * (columns + 1) + j, b = a + columns + 1;
    out.index.push(a, b, a + 1, a + 1, b, b + 1);
  }
}

function cylinder(parts) {
  const out = { position: [], normal: [], index: [] };
  for (const z of [1, -1]) for (let j = 0; j <= parts; j++) {
    const angle = 2 * Math.PI * j / parts, c = Math.cos(angle), s = Math.sin(angle);
    out.position.push(c, s, z);
    out.normal.push(c, s, 0);
  }
  grid(out, 1, parts);
  for (const z of [1, -1]) {
    const middle = out.position.length / 3;
    out.position.push(0, 0, z);
    out.normal.push(0, 0, z);
    for (let j = 0; j <= parts; j++) {
      const angle = 2 * Math.PI * j / parts;
      out.position.push(Math.cos(angle), Math.sin(angle), z);
      out.normal.push(0, 0, z);
      if (j) out.index.push(middle, ...(z > 0 ? [middle + j, middle + j + 1] : [middle + j + 1, middle + j]));
    }
  }
  return out;
}

function box() {
  const out = { position: [], normal: [], index: [] };
  for (let axis = 0; axis < 3; axis++) for (const side of [1, -1]) {
    const n = [0, 0, 0], start = out.position.length / 3;
    n[axis] = side;
    for (const [u, v] of [[-1, -1], [1, -1], [1, 1], [-1, 1]]) {
      const p = [0, 0, 0];
      p[axis] = side;
      p[(axis + 1) % 3] = u * side;
      p[(axis + 2) % 3] = v;
      out.position.push(...p);
      out.normal.push(...n);
    }
    out.index.push(start, start + 1, start + 2, start, start + 2, start + 3);
  }
  return out;
}

const plane = () => ({ position: [-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0],
  normal: [0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1], index: [0, 1, 2, 0, 2, 3] });

// a capsule is a sphere with two equators, which the cap moves apart
function capsule(rings, parts) {
  const ball = round(2 * rings, parts), out = { position: [], normal: [], cap: [], index: [] };
  for (let i = 0; i <= 2 * rings + 1; i++) {
    const from = 3 * (i <= rings ? i : i - 1) * (parts + 1), row = [from, from + 3 * (parts + 1)];
    out.position.push(...ball.position.slice(...row));
    out.normal.push(...ball.normal.slice(...row));
    for (let j = 0; j <= parts; j++) out.cap.push(0, i <= rings ? 1 : -1);
  }
  grid(out, 2 * rings + 1, parts);
  return out;
}

// ------------------------------------------------------------------------------------------ shaders

const PLACE = `#version 300 es
precision highp float; precision highp int; precision highp sampler2D;
layout(location = 0) in vec3 position; layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 extra;
uniform sampler2D poses;
uniform int body, first, columns, once;
uniform vec2 spacing;
uniform vec3 geomPos, scale; uniform vec4 geomQuat; uniform float half_;
uniform mat4 camera, light;
out vec3 at, facing, inside; out vec4 lit; out vec2 uv;
vec3 turned(vec4 q, vec3 v) { return v + 2. * cross(q.yzw, cross(q.yzw, v) + q.x * v); }
void main() {
  int world = gl_InstanceID + first;
  vec4 place = texelFetch(poses, ivec2(2 * body, world), 0);  // and the half length of a tendon
  vec4 turn = texelFetch(poses, ivec2(2 * body + 1, world), 0);
  vec3 p = position * scale + vec3(0., 0., extra.y * (half_ + place.w));
  inside = p; uv = extra;
  p = turned(geomQuat, p) + geomPos;
  vec3 n = turned(geomQuat, normal / scale);
  p = turned(turn, p) + place.xyz;
  n = turned(turn, n);
  if (once == 0) {
    vec2 cell = vec2(world % columns, world / columns);
    p.xy += spacing * cell;
  }
  at = p; facing = n; lit = light * vec4(p, 1.);
  gl_Position = camera * vec4(p, 1.);
}`;

const PAINT = `#version 300 es
precision highp float; precision highp sampler2DShadow;
in vec3 at, facing, inside; in vec4 lit; in vec2 uv;
uniform vec4 color; uniform vec3 eye, sun, target; uniform float shine, reach, shadowed;
uniform int textured; uniform vec2 repeat;
uniform sampler2D image; uniform sampler2DShadow depths;
out vec4 shown;
const vec3 SKY = vec3(.73, .81, .86), GROUND = vec3(.42, .42, .42), AIR = vec3(.737, .807, .857);
float light() {
  vec3 s = lit.xyz / lit.w * .5 + .5;
  if (shadowed == 0. || any(lessThan(s, vec3(0.))) || any(greaterThan(s, vec3(1.)))) return 1.;
  float sum = 0.;
  for (int i = 0; i < 4; i++)
    sum += texture(depths, s + vec3((vec2(i % 2, i / 2) - .5) / 1024. * 1.4, -.002));
  return sum / 4.;
}
void main() {
  vec3 n = normalize(facing), look = normalize(eye - at);
  if (dot(n, look) < 0.) n = -n;
  vec4 base = color;
  if (textured > 0) base.rgb *= pow(texture(image, textured == 1 ? inside.xy * repeat : uv).rgb, vec3(2.2));
  float sunny = max(dot(n, sun), 0.) * light();
  vec3 around = mix(GROUND, SKY, n.z * .5 + .5);
  vec3 c = base.rgb * (around * .55 + sunny * vec3(1., .97, .91) * .85);
  c += shine * .35 * sunny * pow(max(dot(n, normalize(sun + look)), 0.), 48.);
  float far = smoothstep(.35, 1., distance(at, target) / reach);
  c = mix(pow(clamp(c, 0., 1.), vec3(1. / 2.2)), AIR, far);
  shown = vec4(c, base.a);
}`;

const DEPTH = "#version 300 es\nprecision highp float; void main() {}";

function program(gl, vertex, fragment) {
  const made = gl.createProgram();
  for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw gl.getShaderInfoLog(shader);
    gl.attachShader(made, shader);
  }
  gl.linkProgram(made);
  const places = new Map();
  return { made, at(name) {
    if (!places.has(name)) places.set(name, gl.getUniformLocation(made, name));
    return places.get(name);
  } };
}

// --------------------------------------------------------------------------------------- the motion

class Motion {
  constructor(bytes) {
    this.frames = scene.frames;
    this.count = scene.worlds * scene.bodies;
    const n = 4 * this.count;
    this.place = numbers(bytes, 0, 4, n, this.frames);
    this.turn = numbers(bytes, 4 * n * this.frames, 2, n, this.frames);
    this.poses = new Float32Array(8 * this.count);
  }

  // poses at a time, between two frames
  fill(time) {
    const x = Math.min(Math.max(time / scene.dt, 0), this.frames - 1);
    const k = Math.min(Math.floor(x), Math.max(this.frames - 2, 0)), t = x - k;
    const last = Math.min(k + 1, this.frames - 1), { place, turn, poses, count } = this;
    for (let i = 0; i < count; i++) {
      const a = 4 * (k * count + i), b = 4 * (last * count + i);
      let norm = 0;
      for (let c = 0; c < 4; c++) {
        poses[8 * i + c] = (place[a + c] + t * (place[b + c] - place[a + c])) * scene.unit;
        const v = turn[a + c] + t * (turn[b + c] - turn[a + c]);
        poses[8 * i + 4 + c] = v;
        norm += v * v;
      }
      norm = 1 / (Math.sqrt(norm) || 1);
      for (let c = 0; c < 4; c++) poses[8 * i + 4 + c] *= norm;
    }
    return poses;
  }
}

// --------------------------------------------------------------------------------------- the picture

class Picture {
  constructor(gl, meshBytes) {
    this.gl = gl;
    this.paint = program(gl, PLACE, PAINT);
    this.depth = program(gl, PLACE, DEPTH);
    const fine = scene.worlds > 8 ? 6 : 9;  // spheres of many worlds are small
    const made = { sphere: round(2 * fine, 3 * fine), capsule: capsule(fine, 3 * fine), cylinder: cylinder(4 * fine), box: box(), plane: plane() };
    this.shapes = {};
    for (const name in made) this.shapes[name] = this.buffers(made[name]);
    scene.meshes.forEach((mesh, i) => {
      const take = (part, Kind) => part ? new Kind(meshBytes.buffer, part[0], part[1]) : null;
      this.shapes[i] = this.buffers({ position: take(mesh.position, Float32Array),
        normal: take(mesh.normal, Float32Array), cap: take(mesh.uv, Float32Array),
        index: take(mesh.index, Uint32Array) });
    });
    this.images = scene.images.map((image) => this.image(image));
    this.poses = gl.createTexture();
    this.makeShadow();
    this.geoms = [...scene.geoms].sort((a, b) => b.color[3] - a.color[3]);
    this.shadows = true;
  }

  buffers(shape) {
    const gl = this.gl, array = gl.createVertexArray();
    gl.bindVertexArray(array);
    [[shape.position, 3], [shape.normal, 3], [shape.cap, 2]].forEach(([values, size], place) => {
      if (!values || !values.length) return;
      gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
      gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(values), gl.STATIC_DRAW);
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, size, gl.FLOAT, false, 0, 0);
    });
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, new Uint32Array(shape.index), gl.STATIC_DRAW);
    gl.bindVertexArray(null);
    return { array, count: shape.index.length };
  }

  image({ width, height, data }) {
    const gl = this.gl, texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGB8, width, height, 0, gl.RGB, gl.UNSIGNED_BYTE, bytesOf(data));
    gl.generateMipmap(gl.TEXTURE_2D);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_LINEAR);
    const sharp = gl.getExtension("EXT_texture_filter_anisotropic");
    if (sharp) gl.texParameterf(gl.TEXTURE_2D, sharp.TEXTURE_MAX_ANISOTROPY_EXT, 8);
    return texture;
  }

  makeShadow() {
    const gl = this.gl;
    this.shadowMap = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.shadowMap);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, 1024, 1024);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
    this.shadowBuffer = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadowBuffer);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.shadowMap, 0);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  draw(poses, view) {
    const gl = this.gl;
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.poses);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA32F, 2 * scene.bodies, scene.worlds, 0, gl.RGBA, gl.FLOAT, poses);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    gl.enable(gl.DEPTH_TEST);
    if (this.shadows) {
      gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadowBuffer);
      gl.viewport(0, 0, 1024, 1024);
      gl.clear(gl.DEPTH_BUFFER_BIT);
      gl.useProgram(this.depth.made);
      gl.uniformMatrix4fv(this.depth.at("camera"), false, view.light);
      this.all(this.depth, view, true);
      gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    }
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clearColor(0.737, 0.807, 0.857, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    const p = this.paint;
    gl.useProgram(p.made);
    gl.uniformMatrix4fv(p.at("camera"), false, view.camera);
    gl.uniformMatrix4fv(p.at("light"), false, view.light);
    gl.uniform3fv(p.at("eye"), view.eye);
    gl.uniform3fv(p.at("sun"), view.sun);
    gl.uniform3fv(p.at("target"), view.target);
    gl.uniform1f(p.at("reach"), view.reach);
    gl.uniform1f(p.at("shadowed"), this.shadows ? 1 : 0);
    gl.uniform1i(p.at("image"), 2);
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, this.shadowMap);
    gl.uniform1i(p.at("depths"), 1);
    this.all(p, view, false);
  }

  // all geoms of all worlds; worlds that lie over each other are ghosts of the first
  all(p, view, shadow) {
    const gl = this.gl;
    gl.uniform1i(p.at("poses"), 0);
    gl.uniform1i(p.at("columns"), scene.columns);
    gl.uniform2fv(p.at("spacing"), view.spacing);
    const apart = view.spacing[0] > 0 || scene.worlds === 1;
    const passes = apart ? [[0, scene.worlds, 1]] : [[0, 1, 1], [1, scene.worlds - 1, 0.22]];
    for (const [first, count, solid] of passes) for (const geom of this.geoms) {
      const alpha = geom.color[3] * solid, once = geom.once || (geom.body === 0 && !apart);
      if ((shadow && (alpha < 0.5 || geom.once)) || (once && first > 0)) continue;
      this.geom(p, geom, first, once ? 1 : count, alpha, shadow);
    }
    gl.disable(gl.BLEND);
    gl.depthMask(true);
  }

  geom(p, geom, first, count, alpha, shadow) {
    const gl = this.gl, shape = this.shapes[geom.shape];
    gl.uniform1i(p.at("first"), first);
    gl.uniform1i(p.at("once"), geom.once ? 1 : 0);
    gl.uniform1i(p.at("body"), geom.body);
    gl.uniform3fv(p.at("geomPos"), geom.pos);
    gl.uniform4fv(p.at("geomQuat"), geom.quat);
    gl.uniform3fv(p.at("scale"), geom.scale);
    gl.uniform1f(p.at("half_"), geom.half || 0);
    if (!shadow) {
      gl.uniform4f(p.at("color"), ...geom.color.slice(0, 3), alpha);
      gl.uniform1f(p.at("shine"), geom.shine);
      gl.uniform1i(p.at("textured"), geom.image === undefined ? 0 : geom.repeat ? 1 : 2);
      gl.uniform2fv(p.at("repeat"), geom.repeat || [1, 1]);
      gl.activeTexture(gl.TEXTURE2);
      gl.bindTexture(gl.TEXTURE_2D, geom.image === undefined ? null : this.images[geom.image]);
      if (alpha < 0.999) {
        gl.enable(gl.BLEND);
        gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
      } else gl.disable(gl.BLEND);
      gl.depthMask(alpha > 0.999);
    }
    gl.bindVertexArray(shape.array);
    gl.drawElementsInstanced(gl.TRIANGLES, shape.count, gl.UNSIGNED_INT, 0, count);
  }
}

// ----------------------------------------------------------------------------------------- the player

class Player {
  constructor(motion, picture) {
    this.motion = motion;
    this.picture = picture;
    this.duration = Math.max((scene.frames - 1) * scene.dt, 0);
    this.time = 0;
    this.playing = true;
    this.apart = scene.worlds > 1 && scene.apart;
    this.pictures = this.slow = 0;
    this.coarse = 1;
    this.home();
    this.bind();
    requestAnimationFrame((now) => { this.before = now; this.next(now); });
  }

  home() {
    const n = this.apart ? scene.worlds : 1, rows = Math.ceil(n / scene.columns);
    const wide = this.apart ? [(Math.min(n, scene.columns) - 1) * scene.spacing, (rows - 1) * scene.spacing] : [0, 0];
    this.target = [scene.center[0] + wide[0] / 2, scene.center[1] + wide[1] / 2, scene.center[2]];
    this.size = scene.size + Math.hypot(...wide) / 2;
    this.distance = 3 * scene.size + 0.95 * Math.hypot(...wide);
    this.azimuth = -2.2;
    this.elevation = n > 1 && this.apart ? 0.45 : 0.25;
    this.dirty = true;
  }

  eye() {
    const c = Math.cos(this.elevation);
    return [this.target[0] + this.distance * c * Math.cos(this.azimuth),
      this.target[1] + this.distance * c * Math.sin(this.azimuth),
      this.target[2] + this.distance * Math.sin(this.elevation)];
  }

  view() {
    const eye = this.eye(), sun = unit([-0.35, -0.45, 1]);
    const far = Math.max(this.distance * 4, this.size * 12);
    const lens = perspective(0.75, canvas.width / canvas.height, this.distance / 100, far);
    lens[9] = -0.12;  // the controls are below
    const camera = product(lens, looking(eye, this.target));
    const cover = Math.max(Math.min(this.size * 1.3, this.distance * 1.2), scene.size);
    const light = product(parallel(cover, 4 * cover),
      looking(this.target.map((x, i) => x + sun[i] * cover * 2), this.target));
    const gap = this.apart ? scene.spacing : 0;
    return { eye, sun, camera, light, target: this.target, reach: Math.min(far * 0.9, 13 * this.size), spacing: [gap, gap] };
  }

  next(now) {
    const passed = Math.min((now - this.before) / 1000, 0.5);
    this.before = now;
    if (this.playing && this.duration > 0) {
      this.time = (this.time + passed * Number(byId("speed").value)) % this.duration;
      this.dirty = true;
    }
    this.fit();
    if (this.dirty) {
      this.draw();
      this.spare(passed);
    }
    requestAnimationFrame((later) => this.next(later));
  }

  // a machine that is slow at pictures gets simpler ones: no shadows, then fewer pixels
  spare(passed) {
    this.slow = passed > 0.12 ? this.slow + 1 : 0;
    if (this.slow < 4) return;
    if (this.picture.shadows) this.picture.shadows = false;
    else this.coarse = 0.5;
    this.slow = 0;
  }

  fit() {
    const ratio = Math.min(window.devicePixelRatio || 1, 2) * this.coarse;
    const width = Math.max(Math.round(canvas.clientWidth * ratio), 1);
    const height = Math.max(Math.round(canvas.clientHeight * ratio), 1);
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
      this.dirty = true;
    }
  }

  draw() {
    this.dirty = false;
    this.picture.draw(this.motion.fill(this.time), this.view());
    this.pictures++;
    byId("slider").value = this.duration ? this.time / this.duration : 0;
    byId("time").textContent = `${this.time.toFixed(2)} / ${this.duration.toFixed(2)} s`;
    byId("play").textContent = this.playing ? "\u275a\u275a" : "\u25b6";
    byId("layout").textContent = this.apart ? "overlay" : "side by side";
    byId("layout").hidden = scene.worlds < 2;
    byId("shadow").style.opacity = this.picture.shadows ? 1 : 0.5;
  }

  play(on = !this.playing) { this.playing = on; this.dirty = true; }
  seek(time) { this.time = Math.min(Math.max(time, 0), this.duration); this.dirty = true; }

  bind() {
    byId("play").onclick = () => this.play();
    byId("slider").oninput = (event) => { this.play(false); this.seek(event.target.value * this.duration); };
    byId("layout").onclick = () => { this.apart = !this.apart; this.home(); };
    byId("shadow").onclick = () => { this.picture.shadows = !this.picture.shadows; this.dirty = true; };
    window.onkeydown = (event) => {
      const steps = { ArrowRight: 1, ArrowLeft: -1 }[event.key], on = event.target.tagName;
      if (on === "SELECT" || (on === "BUTTON" && !steps)) return;  // they know what to do
      if (event.key === " ") this.play();
      else if (steps) { this.play(false); this.seek(this.time + steps * scene.dt); }
      else return;
      event.preventDefault();
    };
    const fingers = new Map();
    canvas.onpointerdown = (event) => {
      canvas.setPointerCapture(event.pointerId);
      fingers.set(event.pointerId, [event.clientX, event.clientY]);
    };
    canvas.onpointerup = canvas.onpointercancel = (event) => fingers.delete(event.pointerId);
    canvas.onpointermove = (event) => {
      const old = fingers.get(event.pointerId);
      if (!old) return;
      const dx = event.clientX - old[0], dy = event.clientY - old[1];
      if (fingers.size === 2) this.pinch(fingers, event, old);
      else if (event.shiftKey || event.buttons & 6) this.pan(dx, dy);
      else {
        this.azimuth -= dx * 0.008;
        this.elevation = Math.min(Math.max(this.elevation + dy * 0.008, -0.2), 1.55);
      }
      fingers.set(event.pointerId, [event.clientX, event.clientY]);
      this.dirty = true;
    };
    canvas.oncontextmenu = (event) => event.preventDefault();
    canvas.ondblclick = () => this.home();
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(Math.exp(event.deltaY * (event.deltaMode ? 0.04 : 0.0012)));
    }, { passive: false });
  }

  zoom(factor) {
    this.distance = Math.min(Math.max(this.distance * factor, scene.size * 0.1), this.size * 8);
    this.dirty = true;
  }

  pinch(fingers, event, old) {
    for (const [id, at] of fingers) if (id !== event.pointerId) {
      const before = Math.hypot(old[0] - at[0], old[1] - at[1]);
      this.zoom(before / (Math.hypot(event.clientX - at[0], event.clientY - at[1]) || 1));
    }
  }

  pan(dx, dy) {
    const k = this.distance * 0.75 / canvas.clientHeight;
    const z = unit(sub(this.eye(), this.target)), x = unit(cross([0, 0, 1], z)), y = cross(z, x);
    this.target = this.target.map((v, i) => v - k * dx * x[i] + k * dy * y[i]);
  }
}

async function begin() {
  const gl = canvas.getContext("webgl2", { antialias: true, alpha: false });
  if (!gl) return fail("This page needs WebGL 2, which this browser does not have or has turned off.");
  const bytes = await inflated(bytesOf(byId("motion").textContent));
  const split = scene.meshStart;
  window.replay = new Player(new Motion(bytes), new Picture(gl, bytes.slice(split)));
}

begin().catch((error) => { fail(`This page cannot be shown: ${error}`); throw error; });
