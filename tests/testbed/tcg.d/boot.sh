# SPDX-License-Identifier: GPL-2.0-only
# The bed itself: both CPUs, KVM on SVM, a file back.
check "two CPUs" equal "$(nproc)" 2
check "kvm-amd loads" kvm
check "there is /dev/kvm" test -c /dev/kvm
uname -r > kernel
