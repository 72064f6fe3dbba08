// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.core.script;

public class Script {

}
