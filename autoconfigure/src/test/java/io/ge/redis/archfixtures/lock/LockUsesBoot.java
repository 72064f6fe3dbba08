// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.lock;

import org.springframework.boot.SpringApplication;

class LockUsesBoot {

	SpringApplication dependency;

}
